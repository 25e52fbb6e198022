"""Display: data frames in both directions, texts, notebook tables and charts; methods of the types reach it lazily."""
