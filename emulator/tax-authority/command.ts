/** `tillseal authority`: runs an emulated tax authority as a server, for developers of fiscal services. */
import { mkdirSync } from "node:fs";
import { Command } from "commander";
import { endProcess, onEndSignal } from "../../src/commands/ending.js";
import { portFlag } from "../../src/commands/flags.js";
import { printLines } from "../../src/commands/terminal.js";
import { ConfigError } from "../../src/config/config-error.js";
import { AUTHORITY_PORT } from "./free-port.js";
import type { PlaceFlags, ServeFlags } from "./run-authority.js";

export function authorityCommand(): Command {
  return new Command("authority")
    .description("an emulated tax authority that services talk to over HTTPS")
    .addCommand(serveCommand())
    .addCommand(clientCertificateCommand())
    .addCommand(stickCommand());
}

function serveCommand(): Command {
  return new Command("serve")
    .description("run it, until Ctrl-C")
    .option(
      "--port <number>",
      `port; default ${AUTHORITY_PORT}, or a free one if that is taken; 0 picks a free one`,
      portFlag,
    )
    .option("--host <address>", "address to listen on; 0.0.0.0 in a container", "localhost")
    .option("--host-name <name...>", "other names under which services reach it, for its certificate", [])
    .option("--data-dir <dir>", "folder that keeps its CA, register and packages; default: a temporary one")
    .option("--keys <dir>", "your own keys, made by tillseal card make-keys; default: the keys of test cards")
    .option("--environment <name>", "environment and tax rates that it sends: a name or a file")
    .action(async (flags: ServeFlags) => {
      const { serveTaxAuthority } = await import("./run-authority.js");
      const { startOrExplain } = await import("../../src/commands/start-or-explain.js");
      const { port = AUTHORITY_PORT, host, dataDir: kept } = flags;
      const { server, dataDir } = await startOrExplain(serveTaxAuthority(flags), { port, host });
      onEndSignal(() => void server.close().then(() => endProcess(0, false)));
      printLines([
        `the emulated tax authority listens on ${server.url}`,
        kept === undefined
          ? `data is temporary, in ${dataDir}; use --data-dir DIR to keep it`
          : `data is kept in ${dataDir}`,
        `services must trust ${dataDir}/ca.crt.pem`,
        "make a key and certificate for a service, and register its card:",
        `  tillseal authority client-certificate --card CERT.pem --out FOLDER --data-dir ${dataDir}`,
        `taxpayers, packages and audits: ${server.url}/`,
        "press Ctrl-C to stop",
      ]);
    });
}

function addPlaceFlags(command: Command): Command {
  return command
    .option("--data-dir <dir>", "data folder of the running authority")
    .option("--url <url>", "its address, if it runs on another machine; needs --ca")
    .option("--ca <file>", "its CA certificate, PEM");
}

interface CertificateFlags extends PlaceFlags {
  readonly card?: string;
  readonly out: string;
}

function clientCertificateCommand(): Command {
  const command = new Command("client-certificate")
    .description("make the key and certificate with which a service gets its card's token: PEM and PKCS#12")
    .argument("[uid]", "UID of the card; packages can only be verified with its certificate (--card)")
    .option("--card <file>", "certificate of the card, PEM or DER: registers it")
    .requiredOption("--out <dir>", "folder for the files");
  return addPlaceFlags(command).action(async (uid: string | undefined, { card, out, ...place }: CertificateFlags) => {
    const loaded = await import("./run-authority.js");
    if ((uid === undefined) === (card === undefined))
      throw new ConfigError("expected the UID of a card, or --card FILE");
    mkdirSync(out, { recursive: true, mode: 0o700 });
    const whose = card === undefined ? { uid: uid ?? "" } : { file: card };
    const made = await loaded.writeClientCertificate(loaded.runningAt(place), whose, out);
    printLines([...made.files, `passphrase of ${made.uid}.pfx: ${made.passphrase}`]);
  });
}

function stickCommand(): Command {
  const command = new Command("stick")
    .description("upload an audit without internet from a stick to the authority, and write its commands to the stick")
    .argument("<dir>", "the stick, with a folder for each card");
  return addPlaceFlags(command).action(async (dir: string, place: PlaceFlags) => {
    const loaded = await import("./run-authority.js");
    const carried = await loaded.carryStick(loaded.runningAt(place), dir);
    printLines(carried.map(({ name, outcome }) => `${name}: ${outcome}`));
  });
}
