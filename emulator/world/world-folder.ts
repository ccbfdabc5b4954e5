/** Where a world keeps its store and its cards: a folder that is gone with it, or one that stays. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../src/config/load.js";
import { invoiceNumber } from "../../src/fiscal/counters.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { type CardMemory, type CardState, FolderMemory, VolatileMemory } from "../card/card-state.js";
import type { CardProfile } from "../card/profile.js";
import { StoredMemory } from "../card/stored-memory.js";
import { clearAuthorityFolder } from "../tax-authority/authority-files.js";

/** SQLite's own files beside the store. */
const STORE_FILES = ["", "-wal", "-shm"].map((suffix) => STORE_FILE + suffix);

export class WorldFolder {
  readonly path: string;
  private readonly store: string;
  private readonly cards: string;

  /** @param keptIn where it stays. Default: a temporary folder */
  constructor(private readonly keptIn?: string) {
    this.path = keptIn ?? mkdtempSync(join(tmpdir(), "tillseal-world-"));
    this.store = join(this.path, STORE_FILE);
    this.cards = join(this.path, "card");
    if (!existsSync(this.store)) mkdirSync(this.cards, { recursive: true, mode: 0o700 });
  }

  /** Where an authority keeps what it keeps; undefined where nothing outlives the process. */
  get authority(): string | undefined {
    return this.keptIn === undefined ? undefined : join(this.keptIn, "authority");
  }

  /**
   * @param name of the card's file
   * @param profile of a card whose UID no other card of the world has: the store knows its receipts by that
   */
  memory(name: string, initial: CardState, profile: CardProfile | undefined): CardMemory {
    if (this.keptIn === undefined) return new VolatileMemory(initial);
    const file = new FolderMemory(this.cards, name, initial);
    if (!profile) return file;
    return new StoredMemory(file, profile, (uid, counter, answer) => this.signedAfter(uid, counter, answer));
  }

  private signedAfter(uid: string, totalCounter: number, answer: Uint8Array): readonly Uint8Array[] {
    if (!existsSync(this.store)) return [];
    const reading = StoreReading.open(this.path);
    try {
      return reading.signedAfter(uid, invoiceNumber(uid, uid, totalCounter), answer);
    } finally {
      reading.close();
    }
  }

  /**
   * Makes sure that the folder may be emptied: a store that no emulated card has written may be a shop's.
   * @throws ConfigError where it may not
   */
  requireOwn(): void {
    if (existsSync(this.cards)) return;
    throw new ConfigError(
      `${this.path} holds a store that was not begun with an emulated card; nothing is erased there`,
    );
  }

  clear(): void {
    for (const file of STORE_FILES) rmSync(join(this.path, file), { force: true });
    if (this.authority !== undefined) clearAuthorityFolder(this.authority);
    this.clearCards();
  }

  /** Every card begins again as its profile says. */
  clearCards(): void {
    rmSync(this.cards, { recursive: true, force: true });
    mkdirSync(this.cards, { recursive: true, mode: 0o700 });
  }

  readStore(): Buffer {
    return readFileSync(this.store);
  }

  writeStore(content: Buffer): void {
    writeFileSync(this.store, content, { mode: 0o600 });
  }

  /** Does nothing to a folder that stays. */
  remove(): void {
    if (this.keptIn === undefined) rmSync(this.path, { recursive: true, force: true });
  }
}
