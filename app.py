"""The app: `streamlit run app.py`."""

from explorer.ui.page import show

show()
