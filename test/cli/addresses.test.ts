/** The addresses that `tillseal serve` prints are accepted by the commands that need one. Other tests leave out /api/v3 and /control. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { type RunningService, serve, start, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";

interface Addresses {
  readonly service: string;
  readonly control: string;
}

/** The addresses in the greeting. */
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

it("addresses that serve prints are explained when one is given for the other", async () => {
  const { service, control } = { service: "http://localhost:1/api/v3", control: "http://localhost:1/control" };
  const folder = temporaryFolder();
  const isControl = expect.stringContaining(`is ${control}, a control interface; expected the service`);
  const isService = expect.stringContaining(`is ${service}, a service; expected its control interface`);
  for (const [args, explanation] of [
    [["sample", "sale", control], isControl],
    [["snapshot", "save", join(folder, "world"), "--control-url", service], isService],
    [["scenario", "run", "scenarios/pin/right-pin.yaml", "--base-url", control], isControl],
    [["scenario", "expect", "scenarios/pin/right-pin.yaml", "--control-url", service], isService],
    [["conformance", control], isControl],
    [["proxy", "--target", control], isControl],
  ] as const) {
    const { status, stderr } = await tillseal(args);
    expect([status === 0, stderr], args.join(" ")).toEqual([false, explanation]);
  }
});
