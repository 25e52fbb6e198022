"""Display: data frames, notebook tables and charts, reached lazily by `to_frame` and `_repr_html_`."""
