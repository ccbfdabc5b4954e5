/** Faults of the data folder's disk, a separate small ext4: full, read-only, dead, and power cuts. */
import { setTimeout as sleep } from "node:timers/promises";
import { NOT_DONE, oneSignature } from "./process-tortures.js";
import type { Run } from "./run.js";
import type { Torture } from "./tortures.js";

const REPORTED_MS = 20_000;
const LATEST_MS = 3_000;
/** The folder's path is no name of the disk, though it has the word. */
const NAMES_DISK = /The disk (?:is full|failed) \(|The data folder cannot be written \(/;

/** Waits until status or a refused start reports the fault, or until it clearly went unnoticed. */
async function untilReported(run: Run): Promise<void> {
  const isReported = async () =>
    NAMES_DISK.test(run.refusedStart) || (await run.status()).mssc.some((code) => code === "9007" || code === "9008");
  const reported = await run.eventually(isReported, REPORTED_MS);
  if (!reported && run.saw("1999")) run.violations.push("a POS was refused because of the disk, and status hides it");
  run.note(reported ? "the disk is reported" : "the disk was not noticed");
}

/** The disk fails after a signature, and is mended once the fault is reported. */
function failing(name: string, what: string, fail: "abort" | "shutDown"): Torture {
  const arm = (run: Run) =>
    run.moments.once("after", oneSignature(run), () => {
      run.disk?.[fail]();
      run.meanwhile(what, async () => {
        await untilReported(run);
        run.restart("the disk is mended", () => run.disk?.mend(), run.chance.pick(["kill", "stop"] as const));
      });
    });
  return { name, reality: "real", needsDisk: true, arm };
}

export const DISK_TORTURES: readonly Torture[] = [
  {
    name: "disk full between signature and answer (ENOSPC)",
    reality: "real",
    needsDisk: true,
    arm: (run) =>
      run.moments.once("after", oneSignature(run), () => {
        run.disk?.fill();
        run.meanwhile("the disk is full", async () => {
          await untilReported(run);
          run.disk?.free();
          run.note("the disk has room");
        });
      }),
  },
  failing("disk read-only between signature and answer (EROFS)", "the disk is read-only", "abort"),
  failing("disk dead between signature and answer (EIO)", "the disk is dead", "shutDown"),
  {
    name: "power cut at a signature (copy of the image)",
    reality: "real",
    needsDisk: true,
    arm: (run) => {
      const stage = run.chance.pick(["before", "after"] as const);
      run.moments.once(stage, oneSignature(run), () => {
        // The service waits for the card: it writes nothing while the image is copied.
        run.signal("SIGSTOP");
        const copy = run.disk?.copyImage() ?? "";
        run.slot.reset();
        run.crash(`the power goes ${stage} the signature`, () => run.disk?.useCopy(copy));
        return stage === "before" ? NOT_DONE : undefined;
      });
    },
  },
  {
    name: "power cut at random (file system shut down without its log)",
    reality: "real",
    needsDisk: true,
    arm: (run) => {
      const after = run.chance.between(0, LATEST_MS);
      run.meanwhile(`the power goes after ${after} ms`, async () => {
        await sleep(after);
        run.disk?.shutDown();
        run.crash("the power has gone", () => run.disk?.mend());
      });
    },
  },
];
