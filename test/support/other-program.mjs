/**
 * Another maker's program on the same machine: `hold` locks the card until standard input ends,
 * `reset` resets it and exits, `select` selects the PKI applet and exits.
 */
import { Winscard } from "../../dist/src/secure-element/pcsc/winscard.js";

const SHARED = 2;
const EXCLUSIVE = 1;
const PRESENT = 0x20;
const RESET_CARD = 1;
const LEAVE_CARD = 0;

const mode = process.argv[2];
const pcsc = new Winscard();
pcsc.establish();
let readers = [];
let withCard;
while (!withCard) {
  readers = pcsc.wait(readers, 1_000);
  withCard = readers.find(({ state }) => (state & PRESENT) !== 0);
}
const protocol = pcsc.connect(withCard.name, mode === "hold" ? EXCLUSIVE : SHARED);
process.stdout.write("connected\n");
if (mode === "reset") pcsc.disconnect(RESET_CARD);
else if (mode === "select") {
  const answer = pcsc.transmit(Buffer.from("00A404000BA000000397425446590201", "hex"), protocol);
  if (Buffer.from(answer).subarray(-2).toString("hex") !== "9000") process.exitCode = 1;
  pcsc.disconnect(LEAVE_CARD);
} else process.stdin.resume().once("end", () => pcsc.disconnect(LEAVE_CARD));
