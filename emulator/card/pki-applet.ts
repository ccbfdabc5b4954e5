/**
 * The PKI applet, which authenticates the device to the tax authority (protocol facts, section 1). It counts its PIN
 * attempts separately from the secure element. It answers the commands of the vendor's programs. It is also a GIDS card
 * with one key, which signs after the PIN, for OpenSC and the programs that use OpenSC.
 */
import { constants, privateEncrypt, timingSafeEqual } from "node:crypto";
import type { CommandApdu } from "../../src/secure-element/apdu/command.js";
import { CLA_ISO } from "../../src/secure-element/apdu/instructions.js";
import type { ResponseApdu } from "../../src/secure-element/apdu/response.js";
import { SW } from "../../src/secure-element/apdu/status-words.js";
import { type Applet, done, status } from "./applet.js";
import type { CardMemory } from "./card-state.js";
import {
  APPLET_EF,
  compressed,
  type GidsFiles,
  gidsFiles,
  gidsName,
  KEY_REFERENCE,
  publicKeyTemplate,
  tlv,
  USER_EF,
} from "./gids-files.js";
import type { CardProfile } from "./profile.js";

const INS_VERIFY = 0x20;
const INS_MANAGE_SECURITY_ENVIRONMENT = 0x22;
const INS_PERFORM_SECURITY_OPERATION = 0x2a;
const INS_GET_DATA = 0xcb;
/** P1P2 that verifies the PIN, and P1P2 that ends the PIN session. */
const PIN_REFERENCE = 0x0080;
const PIN_END = 0x0082;
/** P1P2 that sets the key for digital signatures, and P1P2 that signs the data in the command (ISO 7816-8). */
const SET_SIGNATURE = 0x41b6;
const COMPUTE_SIGNATURE = 0x9e9a;
/** Request for the data object that the vendor's programs read. A final 00 may follow the request. */
const CERTIFICATE_TAG = Buffer.from("5C0002DF0204", "hex");
/** Start of a request for a data object with a tag of two bytes. */
const OBJECT_TAG = Buffer.from("5C02", "hex");
const PIN_STATUS = 0x7f71;
const PUBLIC_KEY = Buffer.from([0x70, 0x08, 0x84, 0x01, KEY_REFERENCE, 0xa5, 0x03, 0x7f, 0x49, 0x80]);
/** Data that selects RSA-2048 with PKCS #1 v1.5 padding and the container's key. */
const SIGNS = Buffer.from([0x80, 0x01, 0x57, 0x84, 0x01, KEY_REFERENCE]);
const TAG_DISCRETIONARY_DATA = 0x53;
const TAG_TRIES_LEFT = 0x97;
const TAG_TRIES = 0x93;
/** The largest number of bytes that fit into a 256-byte block with the shortest padding. */
const MOST_SIGNED = 245;

export class PkiApplet implements Applet {
  readonly aids: readonly Uint8Array[];
  private readonly files: GidsFiles;
  private pinVerified = false;
  private keyChosen = false;

  constructor(
    private readonly profile: CardProfile,
    private readonly memory: CardMemory,
    /** X.509 DER. */
    private readonly certificate: Uint8Array,
    /** PEM. */
    private readonly key: string,
  ) {
    this.aids = profile.pkiAids.map((aid) => Buffer.from(aid, "hex"));
    this.files = gidsFiles(profile.uid, certificate);
  }

  reset(): void {
    this.pinVerified = false;
    this.keyChosen = false;
  }

  async process({ cla, ins, p1, p2, data }: CommandApdu): Promise<ResponseApdu> {
    if (cla !== CLA_ISO) return status(SW.UNKNOWN_CLA);
    const p1p2 = (p1 << 8) | p2;
    switch (ins) {
      case INS_VERIFY:
        return status(this.verify(p1p2, data));
      case INS_GET_DATA:
        return this.getData(p1p2, Buffer.from(data));
      case INS_MANAGE_SECURITY_ENVIRONMENT:
        return status(this.choose(p1p2, data));
      case INS_PERFORM_SECURITY_OPERATION:
        return this.sign(p1p2, data);
      default:
        return status(SW.UNKNOWN_INS);
    }
  }

  /**
   * Verifies a PIN in ASCII. Without a PIN, the reference of the PIN asks for the number of attempts left, and
   * {@link PIN_END} ends the PIN session (ISO 7816-4).
   */
  private verify(p1p2: number, pin: Uint8Array): number {
    if (p1p2 === PIN_END && pin.length === 0) {
      this.pinVerified = false;
      return SW.DONE;
    }
    if (p1p2 !== PIN_REFERENCE) return SW.WRONG_P1P2;
    const state = this.memory.load();
    const triesLeft = state.pkiPinTriesLeft;
    if (triesLeft === 0) return SW.AUTHENTICATION_BLOCKED;
    if (pin.length === 0) return SW.NO_TRIES_LEFT | triesLeft;
    const expected = Buffer.from(this.profile.pkiPin ?? this.profile.pin, "latin1");
    const correct = pin.length === expected.length && timingSafeEqual(expected, pin);
    const left = correct ? this.profile.pkiPinTries : triesLeft - 1;
    if (left !== triesLeft) this.memory.save({ ...state, pkiPinTriesLeft: left });
    this.pinVerified = correct;
    if (correct) return SW.DONE;
    return left === 0 ? SW.AUTHENTICATION_BLOCKED : SW.NO_TRIES_LEFT | left;
  }

  private getData(file: number, data: Buffer): ResponseApdu {
    const isObject = data.length === 4 && data.subarray(0, 2).equals(OBJECT_TAG);
    if (file === APPLET_EF && data.equals(PUBLIC_KEY)) return done(publicKeyTemplate(this.key));
    if (isObject) return this.object(file, data.readUInt16BE(2));
    if (file !== USER_EF) return status(SW.WRONG_P1P2);
    if (!CERTIFICATE_TAG.equals(data.subarray(0, CERTIFICATE_TAG.length))) return status(SW.NO_SUCH_DATA);
    return done(tlv(TAG_DISCRETIONARY_DATA, compressed(this.certificate)));
  }

  private object(file: number, object: number): ResponseApdu {
    if (file === APPLET_EF && object === PIN_STATUS) return done(tlv(PIN_STATUS, this.pinStatus()));
    const content = this.files.get(gidsName(file, object));
    return content ? done(tlv(object, content)) : status(SW.NO_SUCH_DATA);
  }

  private pinStatus(): Uint8Array {
    const left = Buffer.from([this.memory.load().pkiPinTriesLeft]);
    return Buffer.concat([tlv(TAG_TRIES_LEFT, left), tlv(TAG_TRIES, Buffer.from([this.profile.pkiPinTries]))]);
  }

  private choose(p1p2: number, data: Uint8Array): number {
    if (p1p2 !== SET_SIGNATURE) return SW.WRONG_P1P2;
    this.keyChosen = SIGNS.equals(data);
    return this.keyChosen ? SW.DONE : SW.NO_SUCH_DATA;
  }

  /** Pads and signs the data without hashing it, because the data is a DigestInfo. */
  private sign(p1p2: number, data: Uint8Array): ResponseApdu {
    if (p1p2 !== COMPUTE_SIGNATURE) return status(SW.WRONG_P1P2);
    if (!this.pinVerified) return status(SW.SECURITY_NOT_SATISFIED);
    if (!this.keyChosen) return status(SW.CONDITIONS_NOT_SATISFIED);
    if (data.length === 0 || data.length > MOST_SIGNED) return status(SW.WRONG_LENGTH);
    return done(privateEncrypt({ key: this.key, padding: constants.RSA_PKCS1_PADDING }, data));
  }
}
