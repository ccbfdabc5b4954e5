@echo off
"%~dp0..\node.exe" "%~dp0service.mjs" start
