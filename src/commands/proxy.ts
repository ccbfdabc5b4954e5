/** `tillseal proxy`: between a POS and any fiscal service, to record what they say and to put faults in between. */
import { Command, InvalidArgumentError } from "commander";
import { ConfigError } from "../config/config-error.js";
import { loadEmulator } from "./emulator.js";
import { onEndSignal } from "./on-end-signal.js";
import { noLongerRecorded } from "./running.js";
import { UserError } from "./user-error.js";

const DEFAULT_PORT = 8430;

interface Flags {
  readonly target: URL;
  readonly record?: string;
  readonly port: number;
  readonly host: string;
  readonly fault: readonly string[];
  readonly controlPort?: number;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphraseFile?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export function proxyCommand(): Command {
  return new Command("proxy")
    .description("stand between a POS and any fiscal service: record scenarios, put faults in between")
    .requiredOption("--target <url>", "address of the service; a path in it is put in front of every request", address)
    .option("--record <file>", "write the traffic into this file as a scenario, with PINs masked")
    .option("--port <number>", "port that the POS calls; 0 picks a free one", portOf, DEFAULT_PORT)
    .option("--host <address>", "address to listen on", "localhost")
    .option("--fault <json...>", "what goes wrong from the start, each fault as JSON", [])
    .option("--control-port <number>", "port to set faults and to read the traffic; default: none", portOf)
    .option("--ca <file>", "certificates of the authorities that may have issued the service's, PEM")
    .option("--cert <file>", "client certificate for the service, PEM or PFX")
    .option("--key <file>", "its key, PEM")
    .option("--passphrase-file <file>", "file whose first line opens the key or the PFX file")
    .option("--allowed-hosts <name...>", "other names under which the POS calls the proxy", [])
    .option("--allowed-origins <origin...>", "origins of web pages that may call, such as http://localhost:3000", [])
    .action(async ({ fault: faults, ...flags }: Flags) => {
      const emulator = await loadEmulator();
      if (!emulator) throw new UserError("this is the production package, it has no proxy");
      if (flags.cert === undefined && (flags.key ?? flags.passphraseFile) !== undefined) {
        throw new ConfigError("--key and --passphrase-file need --cert, the certificate that they belong to");
      }
      const { startOrExplain } = await import("./start-or-explain.js");
      const proxy = await startOrExplain(emulator.openProxy({ ...flags, faults, failed: noLongerRecorded }), flags);
      const { record } = flags;
      const lines = [
        `the POS calls ${proxy.url}, the answers come from ${proxy.target}`,
        record === undefined
          ? "nothing is recorded; --record FILE writes a scenario"
          : `the traffic goes into ${record}`,
        ...(proxy.controlUrl === undefined ? [] : [`faults and traffic: ${proxy.controlUrl}/control`]),
        "Ctrl-C stops it",
      ];
      process.stdout.write(`${lines.join("\n")}\n`);
      onEndSignal(() => {
        for (const line of proxy.leftOut()) process.stderr.write(`tillseal: ${line}\n`);
        void proxy.close().then(() => process.exit(0));
      });
    });
}

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError("expected an address such as http://localhost:8431");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new InvalidArgumentError("expected an address without user, password, ? and #");
  }
  return url;
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("expected a number from 0 to 65535");
}
