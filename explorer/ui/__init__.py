"""The page: widgets and calls, no analysis. Only this part of the explorer imports Streamlit."""
