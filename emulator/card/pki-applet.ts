/**
 * The PKI applet, which authenticates the device to the tax authority and which the vendor's own programs read
 * (protocol facts, section 1). Its PIN tries are counted apart from the secure element's.
 */
import { timingSafeEqual } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { CommandApdu } from "../../src/secure-element/apdu/command.js";
import { CLA_ISO } from "../../src/secure-element/apdu/instructions.js";
import type { ResponseApdu } from "../../src/secure-element/apdu/response.js";
import { SW } from "../../src/secure-element/apdu/status-words.js";
import { type Applet, status } from "./applet.js";
import type { CardMemory } from "./card-state.js";
import type { CardProfile } from "./profile.js";

const INS_VERIFY = 0x20;
const INS_GET_DATA = 0xcb;
/** P1P2 of the PIN and of the certificate's container. */
const PIN_REFERENCE = 0x0080;
const CONTAINER = 0xa010;
/** What programs ask the container for; a last 00 may follow. */
const CERTIFICATE_TAG = Buffer.from("5C0002DF0204", "hex");
/** 63Cx: x tries are left (ISO 7816-4). */
const TRIES_LEFT = 0x63c0;
const TAG_DISCRETIONARY_DATA = 0x53;

export class PkiApplet implements Applet {
  readonly aids: readonly Uint8Array[];

  constructor(
    private readonly profile: CardProfile,
    private readonly memory: CardMemory,
    /** X.509 DER. */
    private readonly certificate: Uint8Array,
  ) {
    this.aids = profile.pkiAids.map((aid) => Buffer.from(aid, "hex"));
  }

  /** Nothing that this applet does depends on an open session. */
  reset(): void {}

  async process({ cla, ins, p1, p2, data }: CommandApdu): Promise<ResponseApdu> {
    if (cla !== CLA_ISO) return status(SW.UNKNOWN_CLA);
    const p1p2 = (p1 << 8) | p2;
    if (ins === INS_VERIFY) return status(p1p2 === PIN_REFERENCE ? this.verify(data) : SW.WRONG_P1P2);
    if (ins !== INS_GET_DATA) return status(SW.UNKNOWN_INS);
    if (p1p2 !== CONTAINER) return status(SW.WRONG_P1P2);
    if (!CERTIFICATE_TAG.equals(data.subarray(0, CERTIFICATE_TAG.length))) return status(SW.NO_SUCH_DATA);
    return { data: this.container(), statusWord: SW.DONE };
  }

  /** The PIN in ASCII; without one the tries that are left are told (ISO 7816-4). */
  private verify(pin: Uint8Array): number {
    const state = this.memory.load();
    const triesLeft = state.pkiPinTriesLeft;
    if (triesLeft === 0) return SW.AUTHENTICATION_BLOCKED;
    if (pin.length === 0) return TRIES_LEFT | triesLeft;
    const expected = Buffer.from(this.profile.pkiPin ?? this.profile.pin, "latin1");
    const correct = pin.length === expected.length && timingSafeEqual(expected, pin);
    const left = correct ? this.profile.pkiPinTries : triesLeft - 1;
    if (left !== triesLeft) this.memory.save({ ...state, pkiPinTriesLeft: left });
    if (correct) return SW.DONE;
    return left === 0 ? SW.AUTHENTICATION_BLOCKED : TRIES_LEFT | left;
  }

  /** A BER-TLV whose value, after 4 bytes, is the compressed certificate. */
  private container(): Uint8Array {
    const prefix = Buffer.alloc(4);
    prefix.writeUInt16LE(1, 0);
    prefix.writeUInt16LE(this.certificate.length, 2);
    const value = Buffer.concat([prefix, deflateSync(this.certificate)]);
    return Buffer.concat([Buffer.from([TAG_DISCRETIONARY_DATA, 0x82, value.length >> 8, value.length & 0xff]), value]);
  }
}
