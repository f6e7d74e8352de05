"""What runs, resumes and compares."""
