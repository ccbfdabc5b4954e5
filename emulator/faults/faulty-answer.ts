/** Sends the answer to a sale with faults. */
import type { Response } from "express";
import type { AnswerEnd, HeldAnswer } from "../../src/http/traffic/watch-answer.js";
import { msOf, type PassingFault, passTime, type Times } from "./passing-time.js";

/** Time between two pieces of a trickling answer, ms. It is shorter than a till's timeout between two bytes. */
const BETWEEN_PIECES_MS = 500;

/** Sends an answer with the faults that strike it. @param done called before the last piece is sent */
export async function sendWithFaults(
  { body, response, write, end }: HeldAnswer,
  due: readonly PassingFault[],
  times: Times,
  done: (end: AnswerEnd) => void,
): Promise<void> {
  const ended = endOf(response, times.ended);
  for (const fault of due) await passTime(fault, times, ended);
  if (due.some(({ kind }) => kind === "connectionDropped")) {
    done("broken");
    response.socket?.destroy();
    return;
  }
  // Set the header here, because Node sets it only for an answer that is sent at once.
  response.setHeader("Content-Length", body.length);
  const whole = !due.some(({ kind }) => kind === "short");
  const sent = whole ? body : body.subarray(0, Math.ceil(body.length / 2));
  const trickle = due.find(({ kind }) => kind === "trickle");
  const ms = trickle ? msOf(trickle) : 0;
  const pieces = piecesOf(sent, ms);
  for (const [i, piece] of pieces.entries()) {
    if (response.destroyed) {
      done("abandoned");
      return;
    }
    if (i === pieces.length - 1) done(whole ? "sent" : "broken");
    await write(piece);
    const gap = gapAfter(i, pieces.length, ms);
    if (gap > 0) await times.clock.sleep(gap, ended);
  }
  if (whole) end();
  else response.socket?.destroySoon();
}

/** Returns a signal that is aborted when the till closes the connection or the service stops. */
function endOf(response: Response, stops: AbortSignal | undefined): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return stops ? AbortSignal.any([gone.signal, stops]) : gone.signal;
}

/** Splits an answer into pieces: at least two for a trickling answer, otherwise one. */
function piecesOf(bytes: Buffer, ms: number): Buffer[] {
  const wanted = ms === 0 ? 1 : Math.max(2, Math.ceil(ms / BETWEEN_PIECES_MS));
  const size = Math.max(1, Math.ceil(bytes.length / wanted));
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / size)) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

/** Returns the gap after piece `i`, ms. All gaps together are exactly `ms`. */
function gapAfter(i: number, pieces: number, ms: number): number {
  const at = (piece: number) => Math.round((ms * piece) / Math.max(1, pieces - 1));
  return i < pieces - 1 ? at(i + 1) - at(i) : 0;
}
