import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeSignedHeader } from "../../src/fiscal/signing-header.js";
import { ApduFormatError, decodeCommand, encodeCommand } from "../../src/secure-element/apdu/command.js";
import { decodeResponse, encodeResponse } from "../../src/secure-element/apdu/response.js";
import { appendCrc, encodeSignRequest, stripCrc } from "../../src/secure-element/apdu/sign-format.js";

const byte = fc.nat(255);
const command = fc.record({
  cla: byte,
  ins: byte,
  p1: byte,
  p2: byte,
  data: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 65_530, max: 65_535 }).map((length) => new Uint8Array(length).fill(7)),
  ),
  le: fc.option(fc.oneof(fc.integer({ min: 1, max: 256 }), fc.integer({ min: 1, max: 65_536 })), { nil: undefined }),
});

it("command APDU is parsed back to what was encoded, short and extended", () => {
  fc.assert(
    fc.property(command, (written) => {
      const read = decodeCommand(encodeCommand(written));
      expect({ ...read, data: Buffer.compare(read.data, written.data) }).toEqual({ ...written, data: 0 });
    }),
    { numRuns: 200 },
  );
});

it("command APDU of random bytes either parses and encodes to the same bytes, or is refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
      try {
        const read = decodeCommand(bytes);
        const again = decodeCommand(encodeCommand(read));
        expect({ ...again, data: [...again.data] }).toEqual({ ...read, data: [...read.data] });
      } catch (error) {
        expect(error).toBeInstanceOf(ApduFormatError);
      }
    }),
  );
});

it("command APDU matches the bytes that other programs send", () => {
  const verify = { cla: 0x88, ins: 0x11, p1: 4, p2: 0, data: Uint8Array.of(1, 2, 3, 4) };
  expect(Buffer.from(encodeCommand(verify)).toString("hex")).toBe("881104000401020304");
  const certificate = { cla: 0x88, ins: 0x04, p1: 4, p2: 0, data: new Uint8Array(), le: 65_536 };
  expect(Buffer.from(encodeCommand(certificate)).toString("hex")).toBe("88040400000000");
});

it("response APDU is parsed back to what was encoded, and refused when it is too short", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(0xffff), (data, statusWord) => {
      const read = decodeResponse(encodeResponse(data, statusWord));
      expect(read && { ...read, data: Uint8Array.from(read.data) }).toEqual({ data, statusWord });
    }),
  );
  expect(decodeResponse(Uint8Array.of(0x90))).toBeUndefined();
});

it("Sign Invoice matches the bytes of the recorded request", () => {
  const header = encodeSignedHeader({
    time: 0x17cc744eab5,
    tin: "101647464",
    buyerId: "",
    invoiceType: "Normal",
    transactionType: "Sale",
    totalAmount: 1_000_000n,
  });
  const request = encodeSignRequest({ header, categories: [{ orderId: 1, amount: 1_000_000n }] });
  expect(Buffer.from(request).toString("hex").toUpperCase()).toBe(
    "0000017CC744EAB5000000000000000000000031303136343734363400000000000000000000000000000000000000000000000000000F42400101000000000F4240",
  );
});

it("Sign Invoice has a CRC that detects any single changed byte", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (data, at, change) => {
      const sent = Buffer.from(appendCrc(data));
      expect(stripCrc(sent)).toEqual(Buffer.from(data).subarray(0));
      const index = at % sent.length;
      sent[index] = (sent[index] ?? 0) ^ change;
      expect(stripCrc(sent)).toBeUndefined();
    }),
  );
});
