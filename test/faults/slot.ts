/** The card of a run: outside the service's process, in the system's virtual reader, with a log of everything it signs. */
import { FolderMemory, initialState } from "../../emulator/card/card-state.js";
import { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { parseProfile } from "../../emulator/card/profile.js";
import { FIXTURE_KEYS, loadKeys } from "../../emulator/pki/keys.js";
import { SeededRandom } from "../../emulator/pki/random.js";
import { type VirtualCard, VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { decodeSignedHeader, SIGNED_HEADER_BYTES } from "../../src/fiscal/signing-header.js";
import { SECURE_ELEMENT_AID } from "../../src/secure-element/apdu/card-session.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";

const KEYS = loadKeys(FIXTURE_KEYS);
export const PIN = "1234";
/** ms; pcscd polls every 400 ms, and a hand is not faster. */
const OUT_MS = 1_000;
const STATUS_BYTES = 2;
const CRC_BYTES = 4;
/** Answers to Sign Invoice that end with a CRC, with 256 and 512 bytes of internal data. */
const WITH_CRC = [583, 839];

/** The card's own log. */
export interface CardSignature {
  readonly totalCounter: number;
  /** Scaled by 10,000: it identifies the RequestId. */
  readonly amount: bigint;
  /** Header, counters, internal data and signature, hexadecimal. */
  readonly bytes: string;
  /** Who asked: the service, or another program. */
  readonly by: "service" | "other";
}

/** One command under way. */
export interface Exchange {
  readonly ins: number;
  /** Number of the command since the run's service was first started, from 1. */
  readonly apdu: number;
  /** Number of the signature, from 1; 0 for other commands. */
  readonly signature: number;
}

export interface Hooks {
  /** Before the card gets the command; a result replaces the card's answer. */
  before?(exchange: Exchange): Promise<Uint8Array | undefined>;
  /** The card has begun to work. */
  during?(exchange: Exchange): void;
  /** The card is done and its state is stored; a result replaces the answer. */
  after?(exchange: Exchange, answer: Uint8Array): Promise<Uint8Array | undefined>;
}

export class Slot implements VirtualCard {
  readonly link = new VpcdLink(this, { retryDelayMs: 100 });
  readonly signatures: CardSignature[] = [];
  hooks: Hooks = {};
  private card: EmulatedCard;
  private memory: FolderMemory;
  private apdus = 0;
  private asked = 0;

  /** @param folder folder of an unused card, which a run replaces */
  constructor(folder: string) {
    [this.card, this.memory] = made({}, folder);
  }

  get atr(): Uint8Array {
    return this.card.atr;
  }

  /** Inserts another card whose counters are 0, while no program uses the reader. */
  replace(profile: Record<string, unknown>, folder: string): void {
    [this.card, this.memory] = made(profile, folder);
    this.signatures.length = 0;
    this.hooks = {};
    this.apdus = 0;
    this.asked = 0;
  }

  /** Makes it forget its last signatures, as if it were a second card with the same UID. */
  forget(count: number): void {
    const state = this.memory.load();
    const totalCounter = Math.max(0, state.totalCounter - count);
    this.memory.save({ ...state, totalCounter, lastAnswer: null });
  }

  /** The sum of signatures since the last audit, scaled by 10,000. */
  get sum(): bigint {
    return this.memory.load().sum;
  }

  reset(): void {
    this.card.reset();
  }

  async transmit(command: Uint8Array): Promise<Uint8Array> {
    const { card, hooks } = this;
    const ins = command[1] ?? 0;
    const signs = ins === INS.sign;
    const exchange: Exchange = { ins, apdu: ++this.apdus, signature: signs ? ++this.asked : 0 };
    const instead = await hooks.before?.(exchange);
    if (instead) return instead;
    const working = card.transmit(command);
    hooks.during?.(exchange);
    const answer = await working;
    if (signs) this.note(answer, "service");
    return (await hooks.after?.(exchange, answer)) ?? answer;
  }

  async signForAnother(sign: Uint8Array): Promise<void> {
    const { card } = this;
    const select = Buffer.concat([Buffer.from([0, 0xa4, 4, 0, SECURE_ELEMENT_AID.length]), SECURE_ELEMENT_AID]);
    const pin = Buffer.from([0x88, INS.verifyPin, 4, 0, 4, ...[...PIN].map(Number)]);
    await card.transmit(select);
    await card.transmit(pin);
    this.note(await card.transmit(sign), "other");
  }

  async selectAnother(): Promise<void> {
    await this.card.transmit(SELECT_OTHER);
  }

  /** Pulled out in the middle of an exchange, and inserted again as fast as a hand can. */
  async pull(): Promise<void> {
    await this.link.remove();
    await new Promise((resolve) => setTimeout(resolve, OUT_MS));
    await this.link.insert();
  }

  private note(answer: Uint8Array, by: CardSignature["by"]): void {
    const bytes = Buffer.from(answer);
    if (bytes.readUInt16BE(bytes.length - 2) !== 0x9000) return;
    const { totalAmount } = decodeSignedHeader(bytes.subarray(0, SIGNED_HEADER_BYTES));
    const totalCounter = bytes.readUInt32BE(SIGNED_HEADER_BYTES + 4);
    const signed = bytes.subarray(0, bytes.length - STATUS_BYTES - (WITH_CRC.includes(bytes.length) ? CRC_BYTES : 0));
    this.signatures.push({ totalCounter, amount: totalAmount, bytes: signed.toString("hex"), by });
  }
}

const SELECT_OTHER = Buffer.from("00A404000BA000000397425446590201", "hex");

function made(profile: Record<string, unknown>, folder: string): [EmulatedCard, FolderMemory] {
  const parsed = parseProfile({ pin: PIN, ...profile });
  const memory = new FolderMemory(folder, parsed.uid, initialState(parsed));
  return [new EmulatedCard(parsed, memory, KEYS, new SeededRandom(folder)), memory];
}
