@echo off
rem Finishes the answers in flight and ends the service. It starts again with Windows, or with start.cmd.
"%~dp0..\node.exe" "%~dp0service.mjs" stop
