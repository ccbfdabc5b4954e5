/** The second applet, as the vendor's programs read it. */
import { publicDecrypt, X509Certificate } from "node:crypto";
import { inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { makeCard, send } from "../support/emulated-card.js";

const SELECT = "00A404000BA000000397425446590201";

const verify = (pin: string) => `0020008004${Buffer.from(pin, "latin1").toString("hex")}`;

it("PKI applet returns the card's certificate, compressed, in one piece", async () => {
  const card = makeCard({ uid: "PKICARD1" });
  expect(await send(card, SELECT)).toBe("9000");
  const answer = Buffer.from(await send(card, "00CBA010075C0002DF020400"), "hex");
  expect(answer.readUInt16BE(answer.length - 2)).toBe(0x9000);
  expect(answer.readUInt16BE(2)).toBe(answer.length - 6);
  const certificate = new X509Certificate(inflateSync(answer.subarray(8, -2)));
  expect(certificate.subject).toContain("serialNumber=PKICARD1");
});

it("PKI applet counts the attempts of its own PIN separately from the secure element's, and blocks", async () => {
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

it("PKI applet ends the secure element's PIN session when it is selected", async () => {
  const card = makeCard();
  const secureElement = "00A4040010A000000748464A492D546178436F7265";
  await send(card, secureElement);
  await send(card, "881104000401020304");
  await send(card, SELECT);
  expect(await send(card, "8809040000")).toBe("6E00");
  await send(card, secureElement);
  expect(await send(card, "8815040000")).toBe("6301");
});

it("PKI applet answers to the AIDs of older and newer cards, unless its profile names one", async () => {
  const newer = "00A404000BA000000397425446590009";
  expect([await send(makeCard(), SELECT), await send(makeCard(), newer)]).toEqual(["9000", "9000"]);
  const one = makeCard({ pkiAids: ["A000000397425446590009"] });
  expect([await send(one, SELECT), await send(one, newer)]).toEqual(["6A82", "9000"]);
});

it("PKI applet signs with the key of its certificate after its PIN, once the key is selected", async () => {
  const card = makeCard({ pkiPin: "9876" });
  const sign = "002A9E9A035061790000".slice(0, 16);
  const choose = "002241B606800157840181";
  await send(card, SELECT);
  expect(await send(card, sign)).toBe("6982");
  await send(card, verify("9876"));
  expect(await send(card, sign)).toBe("6985");
  expect(await send(card, "002241B606800157840182")).toBe("6A88");
  expect(await send(card, choose)).toBe("9000");
  const answer = Buffer.from(await send(card, sign), "hex");
  const { publicKey } = new X509Certificate(card.certificate);
  expect(publicDecrypt(publicKey, answer.subarray(0, -2)).toString()).toBe("Pay");
  // The data is not a DigestInfo.
  expect(await send(card, "002A9E9A")).toBe("6700");
  expect(await send(card, `002A9E9AF6${"00".repeat(246)}`)).toBe("6700");
  // A wrong PIN, the end of the session and another applet each end it.
  for (const ending of [verify("0000"), "00200082", "00A4040010A000000748464A492D546178436F7265"]) {
    await send(card, SELECT);
    for (const command of [verify("9876"), choose]) expect(await send(card, command)).toBe("9000");
    await send(card, ending);
    await send(card, SELECT);
    expect(await send(card, sign)).toBe("6982");
  }
});

it("PKI applet has the files and the public key of a GIDS card", async () => {
  const card = makeCard({ uid: "PKICARD1", pkiPinTries: 3 });
  await send(card, SELECT);
  const read = async (file: string, object: string) =>
    Buffer.from(await send(card, `00CB${file}045C02${object}00`), "hex");
  expect((await read("A000", "DF1F")).toString("latin1")).toContain("kxc00");
  expect((await read("A012", "DF20")).toString("latin1")).toContain("PKICARD1");
  const file = await read("A010", "DF24");
  expect(inflateSync(file.subarray(9, -2)).equals(card.certificate)).toBe(true);
  expect((await read("3FFF", "7F71")).toString("hex")).toBe("7f71069701039301039000");
  expect((await read("A010", "DF99")).toString("hex")).toBe("6a88");
  const key = Buffer.from(await send(card, "00CB3FFF0A7008840181A5037F498000"), "hex");
  const { n = "" } = new X509Certificate(card.certificate).publicKey.export({ format: "jwk" });
  expect(key.includes(Buffer.from(n, "base64url"))).toBe(true);
});

it("PKI applet refuses unknown commands", async () => {
  const card = makeCard();
  await send(card, SELECT);
  expect(await send(card, "00CBA010035C0001")).toBe("6A88");
  expect(await send(card, "00CB3FFF075C0002DF020400")).toBe("6A86");
  expect(await send(card, "0020008104313233340000".slice(0, 18))).toBe("6A86");
  expect(await send(card, "00B0000000")).toBe("6D00");
});
