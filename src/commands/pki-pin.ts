/** `tillseal pki-pin`: enters the PIN of the key in the card, which identifies the shop to the tax authority. */
import { Command } from "commander";
import { UserError } from "../base/user-error.js";
import type { KeyPinRecord } from "../console/records/audits.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { askedKeyPin } from "./questions.js";

export function pkiPinCommand(): Command {
  const command = new Command("pki-pin")
    .description(
      "enter the PIN of the key in the card for the tax authority, at the terminal or on standard input; the running service keeps it in memory",
    )
    .option("--card-pin", "try the card's own PIN instead, which may be the same; once for each card");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { findRunning } = await import("../client/find-running.js");
    const { serviceCall } = await import("../client/call-service.js");
    const call = serviceCall(await findRunning(configFrom(flags)), "/pki-pin");
    const body = flags.cardPin === true ? { cardPin: true } : { pin: await askedKeyPin() };
    process.stdout.write(`${textOf((await call("POST", "", body)) as KeyPinRecord)}\n`);
  });
}

/** @throws UserError if the PIN was not accepted */
function textOf(answer: KeyPinRecord): string {
  switch (answer.kind) {
    case "verified":
      return "the key accepts this PIN; the service gets its tokens with it until it ends";
    case "wrong-pin":
      throw new UserError(`wrong PIN; attempts left: ${answer.pinTriesLeft}. The service sends none on its own now`);
    case "locked":
      throw new UserError("the PIN of the key is locked: ask the tax authority");
    case "not-sent":
      throw new UserError(`no PIN was sent, and no attempt was lost: ${answer.reason}`);
  }
}
