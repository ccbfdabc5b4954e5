/** Starts the console of the full edition with the pages of every edition and the pages of the emulator. */
import { showConsole } from "../../src/console/web/app.js";
import { DAY_REPORT, DOCTOR, HELP, RECEIPTS, SETTINGS, TILL, TRAFFIC } from "../../src/console/web/pages.js";
import { AUDIT, CARD, EMULATED_TRAFFIC, REHEARSAL } from "./pages.js";
import "./style.css";

showConsole([TILL, RECEIPTS, DAY_REPORT, AUDIT, TRAFFIC, EMULATED_TRAFFIC, CARD, REHEARSAL, SETTINGS, DOCTOR, HELP]);
