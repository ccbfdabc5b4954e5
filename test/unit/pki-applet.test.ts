/** The second applet, as the vendor's own programs read it. */
import { X509Certificate } from "node:crypto";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { makeCard } from "../support/emulated-card.js";

const SELECT = "00A404000BA000000397425446590201";

async function send(card: EmulatedCard, hex: string): Promise<string> {
  return Buffer.from(await card.transmit(Buffer.from(hex, "hex")))
    .toString("hex")
    .toUpperCase();
}

const verify = (pin: string) => `0020008004${Buffer.from(pin, "latin1").toString("hex")}`;

describe("PKI applet", () => {
  it("hands out the card's certificate, compressed, in one piece", async () => {
    const card = makeCard({ uid: "PKICARD1" });
    expect(await send(card, SELECT)).toBe("9000");
    const answer = Buffer.from(await send(card, "00CBA010075C0002DF020400"), "hex");
    expect(answer.readUInt16BE(answer.length - 2)).toBe(0x9000);
    expect(answer.readUInt16BE(2)).toBe(answer.length - 6);
    const certificate = new X509Certificate(inflateSync(answer.subarray(8, -2)));
    expect(certificate.subject).toContain("serialNumber=PKICARD1");
  });

  it("counts the tries of its own PIN apart from the secure element's, and blocks", async () => {
    const card = makeCard({ pin: "1234", pkiPin: "9876", pkiPinTries: 3 });
    await send(card, SELECT);
    expect(await send(card, verify("9876"))).toBe("9000");
    expect(await send(card, verify("1234"))).toBe("63C2");
    expect(await send(card, "00200080")).toBe("63C2");
    expect(await send(card, verify("1234"))).toBe("63C1");
    expect(await send(card, verify("9876"))).toBe("9000");
    for (const expected of ["63C2", "63C1", "6983", "6983"]) expect(await send(card, verify("0000"))).toBe(expected);
    expect(await send(card, verify("9876"))).toBe("6983");
    expect(card.memory.load().pinTriesLeft).toBe(5);
  });

  it("ends the secure element's PIN session when it is selected", async () => {
    const card = makeCard();
    const secureElement = "00A4040010A000000748464A492D546178436F7265";
    await send(card, secureElement);
    await send(card, "881104000401020304");
    await send(card, SELECT);
    expect(await send(card, "8809040000")).toBe("6E00");
    await send(card, secureElement);
    expect(await send(card, "8815040000")).toBe("6301");
  });

  it("answers to the AIDs of older and of newer cards, unless its profile names one", async () => {
    const newer = "00A404000BA000000397425446590009";
    expect([await send(makeCard(), SELECT), await send(makeCard(), newer)]).toEqual(["9000", "9000"]);
    const one = makeCard({ pkiAids: ["A000000397425446590009"] });
    expect([await send(one, SELECT), await send(one, newer)]).toEqual(["6A82", "9000"]);
  });

  it("refuses what it does not know", async () => {
    const card = makeCard();
    await send(card, SELECT);
    expect(await send(card, "00CBA010035C0001")).toBe("6A88");
    expect(await send(card, "00CB3FFF075C0002DF020400")).toBe("6A86");
    expect(await send(card, "0020008104313233340000".slice(0, 18))).toBe("6A86");
    expect(await send(card, "00B0000000")).toBe("6D00");
  });
});
