/** `tillseal proxy`: runs between a POS and any fiscal service, to record the traffic and to inject faults. */
import { Command, InvalidArgumentError } from "commander";
import { endProcess, onEndSignal } from "../../src/commands/ending.js";
import { portFlag } from "../../src/commands/flags.js";
import { noLongerRecorded } from "../../src/commands/running.js";
import { complain, printLines } from "../../src/commands/terminal.js";
import { headersIn, requireCert, serviceAddress } from "../scenario/remote.js";
import type { ProxyOptions } from "./open-proxy.js";

const DEFAULT_PORT = 8430;

type Flags = Omit<ProxyOptions, "faults" | "headers" | "failed"> & {
  readonly fault: readonly string[];
  readonly header?: readonly string[];
};

export function proxyCommand(): Command {
  return new Command("proxy")
    .description("run between a POS and any fiscal service: record scenarios, inject faults")
    .requiredOption("--target <url>", "address of the service; a path in it is prepended to every request", address)
    .option("--record <file>", "write the traffic into this file as a scenario, with PINs masked")
    .option("--port <number>", "port that the POS calls; 0 picks a free one", portFlag, DEFAULT_PORT)
    .option("--host <address>", "address to listen on", "localhost")
    .option("--fault <json...>", "faults that are set from the start, each as JSON", [])
    .option(
      "--control-port <number>",
      "port of the control interface, to set faults and read the traffic; default: none",
      portFlag,
    )
    .option("--ca <file>", "CA certificates to trust for the service's certificate, PEM")
    .option("--cert <file>", "client certificate for the service, PEM or PFX")
    .option("--key <file>", "its key, PEM")
    .option("--passphrase-file <file>", "file whose first line is the passphrase of the key or the PFX file")
    .option("--vsdc", "the service is an authority's online service (V-SDC): no card, no PIN")
    .option(
      "--header <header>",
      'header with which --record asks the service for its rates, such as "PAC: A1B2C3"; repeatable',
      (header: string, before: readonly string[] = []) => [...before, header],
    )
    .option("--allowed-hosts <name...>", "other host names under which the POS calls the proxy", [])
    .option(
      "--allowed-origins <origin...>",
      "origins of web pages that may call the proxy, such as http://localhost:3000",
      [],
    )
    .action(async ({ fault: faults, header = [], ...flags }: Flags) => {
      const headers = headersIn(header);
      const { openProxy } = await import("./open-proxy.js");
      requireCert(flags);
      const { startOrExplain } = await import("../../src/commands/start-or-explain.js");
      const proxy = await startOrExplain(openProxy({ ...flags, headers, faults, failed: noLongerRecorded }), flags);
      const { record } = flags;
      const lines = [
        `point the POS at ${proxy.url}; requests go to ${proxy.target}`,
        record === undefined
          ? "no scenario is written; use --record FILE for that"
          : `traffic is recorded in ${record}`,
        ...(proxy.controlUrl === undefined ? [] : [`faults and traffic: ${proxy.controlUrl}/control`]),
        "press Ctrl-C to stop",
      ];
      onEndSignal(() => {
        for (const line of proxy.leftOut()) complain(line);
        void proxy.close().then(() => endProcess(0, false));
      });
      printLines(lines);
    });
}

/** The address of a service. @throws InvalidArgumentError */
export function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError("expected an address such as http://localhost:8431");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new InvalidArgumentError("expected an address without user, password, ? and #");
  }
  return new URL(serviceAddress("--target", text));
}
