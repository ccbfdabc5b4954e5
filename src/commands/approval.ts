/** `tillseal approval`: what an authority asks of a fiscal service, and the evidence for it. */
import { Command } from "commander";
import { EXIT } from "../base/user-error.js";
import { needEmulator } from "./need-emulator.js";

export function approvalCommand(): Command {
  return new Command("approval")
    .description(
      "play the acceptance cases of a tax authority, and show what an approval of this service still needs; exit status 1 if a case fails",
    )
    .option("--html <file>", "write a report with the results and the receipts of the run")
    .action(async ({ html: file }: { readonly html?: string }) => {
      const { runApproval } = await needEmulator("acceptance cases");
      const outcomes = await runApproval({ file, write: (text) => void process.stdout.write(text) });
      if (outcomes.includes("failed")) process.exitCode = EXIT.failed;
    });
}
