/** `tillseal load`: measures how many sales a second a service signs, and how long each takes. */
import { Command, InvalidArgumentError, Option } from "commander";
import { jsonText } from "../base/terminal-text.js";
import { EXIT, UserError } from "../base/user-error.js";
import { durationFlag } from "./flags.js";
import { needEmulator } from "./need-emulator.js";
import { type RemoteFlags, remoteOf } from "./remote.js";

interface Flags extends Pick<RemoteFlags, "pin" | "issueRealReceipts"> {
  readonly rate?: number;
  readonly for: number;
  readonly seed: string;
  readonly json?: boolean;
}

const MOST_A_SECOND = 10_000;

export function loadCommand(): Command {
  return new Command("load")
    .description(
      "send sample invoices to a service and measure; exit status 1 if an invoice was not signed, 3 if none was sent",
    )
    .argument("<url>", "address of the service, such as http://localhost:8431")
    .addOption(
      new Option("--rate <n>", "invoices a second; default: send each as soon as the last one is answered").argParser(
        rate,
      ),
    )
    .addOption(new Option("--for <time>", "how long, such as 30s or 5m").default(10_000, "10s").argParser(durationFlag))
    .option("--seed <text>", "seed of the invoices; the same seed gives the same invoices", "tillseal")
    .option("--pin <digits>", "PIN of that card; without it the PIN must be verified already")
    .option("--issue-real-receipts", "also send Normal, Advance and Proforma invoices; on a real card they count")
    .option("--json", "machine readable")
    .action(async (url: string, { rate: perSecond, for: time, seed, json = false, ...flags }: Flags) => {
      const emulator = await needEmulator("sample invoices");
      const remote = remoteOf({ ...flags, baseUrl: url }, "<url>");
      if (!remote || !("allowed" in remote)) throw new UserError("the address is missing", EXIT.usage);
      const stopped = new AbortController();
      process.once("SIGINT", () => stopped.abort());
      const onTerminal = process.stderr.isTTY;
      const result = await emulator.runLoad({
        ...remote,
        rate: perSecond,
        duration: time,
        seed,
        signal: stopped.signal,
        progress: (text) => {
          if (onTerminal) process.stderr.write(`\r\u001b[K${text}`);
        },
      });
      if (onTerminal) process.stderr.write("\r\u001b[K");
      process.stdout.write(json ? jsonText(result) : emulator.loadText(result));
      if (result.sent === 0) process.exitCode = EXIT.nothingPlayed;
      else if (result.signed < result.sent) process.exitCode = EXIT.failed;
    });
}

function rate(text: string): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= MOST_A_SECOND) return number;
  throw new InvalidArgumentError(`expected a number above 0 and up to ${MOST_A_SECOND}`);
}
