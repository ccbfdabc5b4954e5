/** A real pcscd with the virtual reader. test/pcsc/run.mjs runs the tests in a namespace of their own, so that no other pcscd is touched. */
import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { VPCD_PORT } from "../../emulator/vpcd/vpcd-link.js";
import { TEST_LOG } from "./log.js";

const PATIENCE_MS = 45_000;
const SOCKET = "/run/pcscd/pcscd.comm";
/** What a client says first: 12 bytes follow, command 0x11, protocol 4.4, no error. */
const VERSION = Buffer.from(Uint32Array.of(12, 0x11, 4, 4, 0).buffer);

export class Pcscd {
  private child: ChildProcess | undefined;

  /**
   * Resolves when the virtual reader waits for a card, and pcscd answers. Before, it would ask a card that is already in the reader
   * first, and this process could not be the card while pcsclite waits on its main thread.
   */
  async start(): Promise<void> {
    // `--apdu` prints each command and each answer.
    const log = TEST_LOG === undefined ? [] : ["--apdu"];
    const child = spawn("pcscd", ["--foreground", ...log], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (TEST_LOG !== undefined) process.stderr.write(chunk);
      });
    }
    this.child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`pcscd ended: ${output}`);
      // Probes the second slot: probing the first would look like a card that comes and goes.
      return listens(VPCD_PORT + 1);
    }, "the virtual reader listens");
    await eventually(answers, "pcscd answers");
  }

  /**
   * A pcscd that ends in order waits for the virtual card, which is in this process. pcsclite calls pcscd on this process's main
   * thread, so both would wait for each other.
   */
  async stop(
    signal: NodeJS.Signals = process.env.TILLSEAL_PCSC_MODULE === "pcsclite" ? "SIGKILL" : "SIGTERM",
  ): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    // A paused process receives no other signal.
    child.kill("SIGCONT");
    // pcscd waits for its readers' threads, and may wait for ever.
    const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    await ended;
    clearTimeout(late);
  }

  /** A paused pcscd keeps its socket but does not answer. */
  pause(): void {
    this.child?.kill("SIGSTOP");
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  /** As in a crash, without notice to its clients. */
  kill(): Promise<void> {
    return this.stop("SIGKILL");
  }
}

/** Waits until a condition holds; a timeout names the condition. */
export async function eventually(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 20) {
    if (await isSo()) return;
    await delay(20);
  }
  throw new Error(`timed out after ${PATIENCE_MS} ms: ${what}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(SOCKET, () => socket.write(VERSION));
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
    socket.once("end", () => resolve(false));
  });
}
