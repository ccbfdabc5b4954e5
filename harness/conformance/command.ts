/** `tillseal conformance`: tests whether a fiscal service of any maker answers correctly. */
import { Command } from "commander";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { endWith } from "../../src/commands/surroundings.js";
import { print } from "../../src/commands/terminal.js";
import { ConfigError } from "../../src/config/config-error.js";
import { type RemoteFlags, remoteOf, requireCert } from "../scenario/remote.js";
import type { ConformanceFlags } from "./run-conformance.js";

export function conformanceCommand(): Command {
  return new Command("conformance")
    .description(
      "test any fiscal service against the interface; exit status 1 if a case failed, 3 if nothing was tested",
    )
    .argument("<url>", "address of the service, such as http://localhost:8431")
    .option("--pin <digits>", "PIN of that card; without it the PIN must be verified already")
    .option(
      "--header <header>",
      'header that the service needs, such as "PAC: A1B2C3"; repeatable',
      (header: string, before: readonly string[] = []) => [...before, header],
    )
    .option("--vsdc", "the service is an authority's online service: no card and no PIN, and another element signs")
    .option("--cert <file>", "client certificate for TLS, PEM or PFX")
    .option("--key <file>", "its key, PEM")
    .option("--passphrase-file <file>", "file whose first line is the passphrase of the key or the PFX file")
    .option("--ca <file>", "CA certificates to trust for the service's certificate, PEM")
    .option(
      "--certificate <file>",
      "certificate of the card that signs (PEM or DER): proves signatures and the taxpayer",
    )
    .option(
      "--report <file...>",
      "write a report: JUnit for a name that ends with .xml, JSON for .json, otherwise HTML",
      [],
    )
    .option("--control-url <url>", "control interface of the emulator there; with it every case is tested")
    .option("--risk-locking-the-card", "also send one wrong PIN; a few wrong PINs lock a real card for good")
    .option("--issue-real-receipts", "also post invoices that are not Training; on a real card they count")
    .action(async (url: string, flags: Omit<RemoteFlags, "baseUrl"> & ConformanceFlags) => {
      const { runConformance } = await import("./run-conformance.js");
      const { together } = await import("./case.js");
      const remote = remoteOf({ ...flags, baseUrl: url }, "<url>");
      if (!remote) throw new UserError("the address is missing", EXIT.usage);
      requireCert(flags);
      if (flags.vsdc && flags.pin !== undefined) throw new ConfigError("an online service has no PIN: leave out --pin");
      const cases = await runConformance({ ...flags, remote, write: print });
      const outcome = together(cases);
      endWith(outcome === "failed" ? EXIT.failed : outcome === "passed" ? EXIT.done : EXIT.nothingPlayed);
    });
}
