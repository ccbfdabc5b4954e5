/** Loaded before the service: shifts its clock by the number in a file, which is read again at SIGUSR2. */
import { readFileSync } from "node:fs";

const file = process.env.CLOCK_FILE;
const { now } = Date;
let shift = 0;
const read = () => {
  shift = Number(readFileSync(file, "utf8"));
};
read();
process.on("SIGUSR2", read);
Date.now = () => now() + shift;
