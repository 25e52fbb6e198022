"""Display: data frames, texts, notebook tables and charts; methods of the core types import it lazily."""
