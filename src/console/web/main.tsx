/** Entry of the console for shops. The full edition starts in harness/console/main.tsx. */
import { showConsole } from "./app.js";
import { AUDIT, DAY_REPORT, DOCTOR, HELP, RECEIPTS, SETTINGS, TILL, TRAFFIC } from "./pages.js";

showConsole([TILL, RECEIPTS, DAY_REPORT, AUDIT, TRAFFIC, SETTINGS, DOCTOR, HELP]);
