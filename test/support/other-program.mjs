/**
 * Another maker's program on the same machine: `hold` keeps the card for itself until its standard input ends,
 * `reset` resets it and goes.
 */
import { createRequire } from "node:module";

const pcsclite = createRequire(import.meta.url)("pcsclite");
const SHARED = 2;
const EXCLUSIVE = 1;
const PRESENT = 0x20;
const RESET_CARD = 1;
const LEAVE_CARD = 0;

const mode = process.argv[2];
const context = pcsclite();
const end = (error) => {
  if (error) process.stderr.write(`${error.message}\n`);
  process.exit(error ? 1 : 0);
};
context.on("error", end);
context.on("reader", (reader) => {
  reader.on("error", end);
  let connecting = false;
  reader.on("status", ({ state }) => {
    if ((state & PRESENT) === 0 || connecting) return;
    connecting = true;
    reader.connect({ share_mode: mode === "hold" ? EXCLUSIVE : SHARED }, (error) => {
      if (error) return end(error);
      process.stdout.write("connected\n");
      if (mode === "reset") return reader.disconnect(RESET_CARD, end);
      process.stdin.resume().once("end", () => reader.disconnect(LEAVE_CARD, end));
    });
  });
});
