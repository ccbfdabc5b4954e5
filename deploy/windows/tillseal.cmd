@echo off
rem Runs tillseal with the Node.js in this folder.
"%~dp0node.exe" "%~dp0app\dist\src\cli.js" %*
