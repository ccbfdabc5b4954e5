/** The addresses that `tillseal serve` prints are accepted by the commands that need one. Other tests leave out /api/v3 and /control. */
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type RunningService, serve, start, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";

interface Addresses {
  readonly service: string;
  readonly control: string;
}

function printedBy({ greeting }: RunningService): Addresses {
  const first = (pattern: RegExp) => pattern.exec(greeting)?.[1] ?? "";
  return { service: first(/^tillseal listens on (\S+)$/m), control: first(/^(\S+) drives the emulated card/m) };
}

it("addresses that serve prints are accepted as printed", async () => {
  const running = await serve(["--control-port", "0"]);
  const { service, control } = printedBy(running);
  expect(service).toBe(`${running.url}/api/v3`);
  expect(control).toMatch(/^http:.*\/control$/);
  const both = ["--base-url", service, "--control-url", control];
  for (const args of [
    ["sample", "sale", service],
    ["snapshot", "save", join(temporaryFolder(), "world"), "--control-url", control],
    ["scenario", "run", "scenarios/pin/right-pin.yaml", ...both],
    ["conformance", service, "--pin", "1234"],
  ]) {
    const { status, stdout, stderr } = await tillseal(args);
    expect(status, `${args.join(" ")}: ${stdout}${stderr}`).toBe(0);
  }
  const { greeting } = await start(["proxy", "--port", "0", "--target", service]);
  expect(greeting).toContain(`requests go to ${running.url}\n`);
});

it("a service's port, a port where nobody listens, and a folder that is missing are explained before anything runs", async () => {
  const { url, greeting } = await serve(["--control-port", "0"]);
  const { control } = printedBy({ url, greeting } as RunningService);
  const isService = `${url} is a service; --control-url names its control interface`;
  const nobody = "http://localhost:1";
  const file = join(temporaryFolder(), "nowhere", "report.html");
  const noFolder = `cannot be written: there is no folder ${dirname(file)}; make it first`;
  const pin = ["scenario", "run", "pin"];
  for (const [args, explanation] of [
    [[...pin, "--base-url", url, "--control-url", url], isService],
    [["rehearse", "--control-url", url], isService],
    [["snapshot", "save", join(temporaryFolder(), "world"), "--control-url", url], isService],
    [
      [...pin, "--base-url", nobody],
      `nobody listens at ${nobody} (ECONNREFUSED); start a service first, or wait for it with --wait 60s`,
    ],
    [[...pin, "--output", file], noFolder],
    [["rehearse", "--control-url", control, "--html", file], noFolder],
    [["conformance", url, "--report", file], noFolder],
  ] as const) {
    const { status, stdout, stderr } = await tillseal(args);
    expect([status === 0, stdout, stderr], args.join(" ")).toEqual([false, "", expect.stringContaining(explanation)]);
  }
});
