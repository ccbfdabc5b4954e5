@echo off
rem Stops the service after it has finished its answers. --anyway stops it also if a signed receipt is lost. It starts again with Windows, or with start.cmd.
"%~dp0..\node.exe" "%~dp0service.mjs" stop %*
