/** Starts, stops and kills a service. `service/composition.ts` builds its parts. */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import type { BackupState } from "../bookkeeping/backup/backup-schedule.js";
import { ConsoleEvents } from "../console/events.js";
import { installedToken } from "../console/token.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { Connections } from "../http/connections.js";
import { errorRecord } from "../http/errors.js";
import type { HotApp } from "../http/hot-paths.js";
import { closeAll, listenOnAll, nearby, urlOf } from "../http/listen.js";
import { makeServer } from "../http/server.js";
import { openInMemory, openStore, type Store } from "../ledger/database.js";
import { decodeIntent } from "../ledger/intent.js";
import { removeOwner, writeOwner } from "../ledger/owner.js";
import { readAnswer } from "../ledger/receipt-content.js";
import { missingStore, STORE_FOLDER } from "../ledger/store-folder.js";
import { ApduSecureElement } from "../secure-element/apdu/apdu-secure-element.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { Composition } from "./composition.js";
import { appOf } from "./http-app.js";
import { Observation } from "./observation.js";
import type { ServiceParts } from "./service-parts.js";

/** Length of the secret for local commands, in bytes. */
const SECRET_BYTES = 32;

/** Open files that are too few for connections and the store. */
const FEW_FILES = 256;

/** ms after which a stop disconnects clients that send or read too slowly. The systemd unit waits 30 s for the stop. */
const STOP_PATIENCE_MS = 20_000;

export class Service {
  readonly secureElement: SecureElement;
  private readonly observation: Observation;
  private readonly events = new ConsoleEvents();
  private readonly connections = new Connections();
  private phase: "created" | "running" | "stopped" = "created";
  private servers: Server[] = [];
  private store: Store | undefined;
  private composition: Composition | undefined;
  private temporaryFolder: string | undefined;
  /** The folder with the file about this service. */
  private announcedIn: string | undefined;
  private stopping: Promise<void> | undefined;
  /** The base URL. It is kept while the service stops, because answers in flight contain it. */
  private address: string | undefined;

  constructor(private readonly parts: ServiceParts) {
    this.observation = new Observation(parts);
    this.secureElement = new ApduSecureElement(parts.reader, this.observation.card);
  }

  /**
   * Starts the service. A shop's service opens its port first, so that attention answers while a card is still being
   * read. With the hook `beforeListening`, the port opens last.
   * @returns the base URL
   */
  async start(): Promise<string> {
    if (this.phase !== "created") throw new Error(`the service is ${this.phase} and cannot start`);
    this.phase = "running";
    try {
      const { parts, secureElement, observation, events } = this;
      const { endProcess, settings, random } = parts;
      const folder = this.dataDir();
      const store = this.openStore(folder);
      this.store = store;
      const access = {
        stopAccess: endProcess && { folder, stop: endProcess },
        token: settings.consoleToken ? installedToken(folder, random) : undefined,
        secret: Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url"),
      };
      const foundation = { parts, folder, store, secureElement, observation, events, access };
      const composition = await Composition.build(foundation);
      this.composition = composition;
      const { beforeListening } = parts.hooks ?? {};
      await composition.recorder.check();
      if (beforeListening) {
        await this.startParts(composition);
        await beforeListening();
      }
      const app = appOf(composition);
      this.servers = await listenOnAll(() => this.serverOf(app), settings);
      this.address = urlOf(this.servers[0]);
      this.announce(folder, access.secret);
      this.warnOfFewFiles();
      for (const server of this.servers) server.on("connection", this.noteLastFile);
      this.noteLastFile();
      if (!beforeListening) await this.startParts(composition);
      return this.url;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private async startParts({ background }: Composition): Promise<void> {
    await this.secureElement.start();
    // The service may have been stopped while the card was read.
    if (this.phase === "running") for (const part of background) part.start();
  }

  private openStore(folder: string): Store {
    const { log, settings } = this.parts;
    const memory = this.parts.memory ?? (settings.dataDir === undefined ? {} : undefined);
    if (memory) {
      // The index of receipts is a file.
      mkdirSync(join(folder, STORE_FOLDER), { recursive: true });
      return openInMemory(folder, memory);
    }
    const migrating = (entries: number) =>
      log.warn(
        `${folder}: upgrading the store to this version (${entries} entries); the service starts when this is done`,
      );
    const missing = missingStore(folder);
    if (missing && settings.card === "pcsc") throw missing;
    if (missing) log.warn(`${missing.message}. An emulator begins a new store`);
    return openStore(folder, migrating);
  }

  /** Writes the file for local commands, with address and secret. Only logs a failure: sales do not need the file. */
  private announce(folder: string, secret: string): void {
    try {
      writeOwner(folder, { url: nearby(this.url), pid: process.pid, secret });
      this.announcedIn = folder;
    } catch (error) {
      const consequence = "tillseal status and stop can only find the service by its port";
      this.parts.log.warn({ err: error }, `the file with the service's address could not be written; ${consequence}`);
    }
  }

  /** The system resets each connection for which the process may open no more files, and Node reports nothing. */
  private warnOfFewFiles(): void {
    const limits = process.platform === "linux" ? readFileSync("/proc/self/limits", "utf8") : "";
    const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? FEW_FILES);
    if (most >= FEW_FILES) return;
    this.parts.log.warn(
      `the service may open only ${most} files, and resets connections above that: raise LimitNOFILE`,
    );
  }

  /** Notices the connection after which the system resets the next one. */
  private readonly noteLastFile = (): void => {
    try {
      closeSync(openSync(devNull, "r"));
    } catch (error) {
      for (const server of this.servers) server.off("connection", this.noteLastFile);
      const consequence = "and the system resets each further connection: raise its limit, such as LimitNOFILE";
      this.parts.log.warn({ err: error }, `the service may open no more files, ${consequence}`);
    }
  };

  /** The base URL, such as `http://127.0.0.1:8431`. */
  get url(): string {
    if (this.address === undefined) throw new Error("the service is not listening yet");
    return this.address;
  }

  /** Finishes the answers in flight, then closes card and store. A second call waits for the same stop. */
  stop(): Promise<void> {
    if (this.phase === "stopped") return this.stopping ?? Promise.resolve();
    this.phase = "stopped";
    this.stopping = this.close();
    return this.stopping;
  }

  private serverOf({ listener, messages }: HotApp): Server {
    return makeServer({
      app: listener,
      messages,
      encrypted: this.parts.hooks?.encrypted,
      connections: this.connections,
      log: this.parts.log,
      refused: this.observation.refused,
      record: ({ code, sentence }) => errorRecord(FiscalError.of(code, "", sentence)),
    });
  }

  private async close(): Promise<void> {
    this.events.close();
    await Promise.all([this.closeServers(), ...this.background.map((part) => part.stop?.())]);
    await this.secureElement.close();
    // Try for the last time to store a signature that waits for disk space.
    await this.composition?.fiscalizer
      .flush()
      .catch((error: unknown) => this.parts.log.error({ err: error }, "a signature could not be stored"));
    this.closeFiles();
    if (this.temporaryFolder) rmSync(this.temporaryFolder, { recursive: true, force: true });
  }

  /** Ends the service as in a crash: nothing in flight is finished or stored. */
  async kill(): Promise<void> {
    if (this.phase === "stopped") return;
    this.phase = "stopped";
    for (const part of this.background) {
      if (part.kill) part.kill();
      else void part.stop?.();
    }
    this.closeFiles();
    void closeAll(this.servers);
    await this.secureElement.close();
  }

  private get background(): Composition["background"] {
    return this.composition?.background ?? [];
  }

  private closeFiles(): void {
    this.composition?.index.close();
    this.store?.close();
    if (this.announcedIn !== undefined) removeOwner(this.announcedIn);
  }

  /** State of the scheduled backups; undefined if none are configured. */
  get backupState(): BackupState | undefined {
    return this.composition?.backups?.state;
  }

  get stored(): { complete: number; open: number; lost: number } {
    if (!this.composition) throw new Error("the service has no store");
    return this.composition.receipts.counts();
  }

  get configured(): boolean {
    return this.composition?.sources.inForce().environment !== undefined;
  }

  lastCounter(uid: string): number | undefined {
    return this.composition?.receipts.lastCounter(uid);
  }

  /** What a receipt was made of, and its text, by the number of its invoice. */
  receipt(invoiceNumber: string) {
    const receipts = this.composition?.receipts;
    const { answer, intent } = receipts?.byId(receipts.numbered(invoiceNumber)?.id ?? 0) ?? {};
    return answer && intent ? { journal: readAnswer(answer).journal, ...decodeIntent(intent) } : undefined;
  }

  /** Makes open consoles reload, because something that they show has changed. */
  changed(): void {
    this.events.changed();
  }

  /** Starts the next round with the tax authority now. Resolves when the round has ended, also if it failed. */
  async talkToAuthority(): Promise<void> {
    await this.composition?.authority.link?.nextRound();
  }

  /** Closes the servers. It does not wait for idle connections, which browsers open in advance. */
  private async closeServers(): Promise<void> {
    const { servers } = this;
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    this.connections.closeIdle();
    const deadline = setTimeout(() => {
      for (const server of servers) server.closeAllConnections();
    }, STOP_PATIENCE_MS);
    await Promise.all(closed);
    clearTimeout(deadline);
  }

  private dataDir(): string {
    const { dataDir } = this.parts.settings;
    if (dataDir !== undefined) return dataDir;
    this.temporaryFolder = mkdtempSync(join(tmpdir(), "tillseal-"));
    return this.temporaryFolder;
  }
}
