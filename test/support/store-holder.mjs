/**
 * Another program that locks a store until its standard input ends. It tries without a pause, so that it
 * gets the lock when the service releases the store for a moment.
 */
import { openDatabase } from "../../dist/src/ledger/sqlite.js";

const db = openDatabase(process.argv[2], { timeout: 0 });
process.stdin.resume().once("end", () => process.exit(0));
process.stdout.write("tries\n");
const grab = () => {
  for (let i = 0; i < 1000; i++) {
    try {
      db.exec("BEGIN EXCLUSIVE");
      process.stdout.write("holds\n");
      return;
    } catch (error) {
      if (!error.code.startsWith("SQLITE_BUSY")) throw error;
    }
  }
  setImmediate(grab);
};
grab();
