/** `tillseal approval`: plays the acceptance cases of a tax authority. */
import { Command } from "commander";
import { EXIT } from "../../src/base/user-error.js";
import { endWith } from "../../src/commands/surroundings.js";
import { print } from "../../src/commands/terminal.js";

export function approvalCommand(): Command {
  return new Command("approval")
    .description(
      "play the acceptance cases of a tax authority, and show what an approval of this service still needs; exit status 1 if a case fails",
    )
    .option("--html <file>", "write a report with the results and the receipts of the run")
    .action(async ({ html: file }: { readonly html?: string }) => {
      const { runApproval } = await import("./run-approval.js");
      const outcomes = await runApproval({ file, write: print });
      if (outcomes.includes("failed")) endWith(EXIT.failed);
    });
}
