import { describe, expect, it } from "vitest";
import { welcome } from "../../src/commands/welcome.js";

const EMULATED = { url: "http://127.0.0.1:8431", card: "emulated", pin: "1234" };
const commandsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("  "));

describe("what serve prints on Windows", () => {
  it("names curl.exe, because PowerShell's curl is another program, and needs no Unix device and no shell operators", () => {
    const commands = commandsOf(welcome(EMULATED, "win32"));
    expect(commands).toEqual([
      "  curl.exe -s -o NUL -d 1234 http://127.0.0.1:8431/api/v3/pin",
      "  curl.exe -s -X POST http://127.0.0.1:8431/api/v3/test-invoice",
    ]);
    expect(commandsOf(welcome({ url: EMULATED.url, card: "a real one" }, "win32"))).toEqual([
      "  curl.exe -d PIN http://127.0.0.1:8431/api/v3/pin",
    ]);
  });

  it("is one line for a Unix shell", () => {
    expect(commandsOf(welcome(EMULATED, "linux"))).toHaveLength(1);
  });
});
