/** One run: a service on a new store, POS that sell, and faults in the meantime. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Mutex } from "../../src/base/mutex.js";
import { messageOf } from "../../src/base/thrown.js";
import { freePort } from "../support/free-port.js";
import type { Pcscd } from "../support/pcsc.js";
import { call } from "./call.js";
import { Chance } from "./chance.js";
import { Disk } from "./disk.js";
import { Moments } from "./moments.js";
import { amountOf, newShop, Pos, postPin, postSale, requestIdOf, type Shop } from "./pos.js";
import { type ServiceOptions, ServiceProcess } from "./service-process.js";
import type { Slot } from "./slot.js";
import type { Torture } from "./tortures.js";
import { verdictOf } from "./verdict.js";

/** ms for all sales of a run, including starts of the service. */
const PATIENCE_MS = 180_000;
const FIRST_TRAINING = 900_000;
const UNLOCK_PAUSE_MS = 200;
const RESTART_MS = 500;

export interface Machine {
  readonly slot: Slot;
  readonly pcscd: Pcscd;
}

export interface RunResult {
  readonly violations: readonly string[];
  readonly signatures: number;
  readonly kills: number;
  readonly trace: readonly string[];
}

export interface Sizes {
  readonly pos: number;
  readonly sales: number;
  /** ms during which the POS continue to sell. */
  readonly lasts?: number;
  /** ms between two sales of a POS. */
  readonly pause?: number;
}

export class Run {
  readonly chance: Chance;
  readonly dataDir: string;
  readonly disk: Disk | undefined;
  readonly slot: Slot;
  readonly pcscd: Pcscd;
  readonly trace: string[] = [];
  readonly violations: string[] = [];
  readonly urls: string[] = [];
  readonly moments = new Moments();
  private readonly shop: Shop;
  private readonly began = Date.now();
  private readonly repairs = new Mutex();
  private readonly underWay = new Set<Promise<void>>();
  private readonly requestIds = new Map<bigint, string>();
  private readonly clockFile: string | undefined;
  private service: ServiceProcess | undefined;
  private other: ServiceProcess | undefined;
  private port = 0;
  private kills = 0;
  private noStart = "";
  private unlocking: Promise<void> | undefined;
  private training = FIRST_TRAINING;
  private readonly mayReport: boolean;

  constructor(
    { slot, pcscd }: Machine,
    readonly folder: string,
    seed: string,
    readonly tortures: readonly Torture[],
    private readonly sizes: Sizes,
  ) {
    this.chance = new Chance(seed);
    this.slot = slot;
    this.pcscd = pcscd;
    mkdirSync(folder, { recursive: true });
    this.disk = tortures.some(({ needsDisk }) => needsDisk) ? Disk.make(folder) : undefined;
    this.dataDir = join(this.disk?.path ?? folder, "data");
    this.mayReport = tortures.some(({ mayReport }) => mayReport);
    this.clockFile = tortures.some(({ needsClock }) => needsClock) ? join(folder, "clock") : undefined;
    this.shiftClock(0);
    this.shop = newShop({
      urls: this.urls,
      chance: new Chance(`${seed} pos`),
      hangsUp: tortures.some(({ hangsUp }) => hangsUp),
      deadline: this.began + (sizes.lasts ?? 0) + PATIENCE_MS,
      violation: (what) => void this.violations.push(what),
      unlock: () => this.unlock(),
      settle: () => this.settle(),
    });
  }

  async play(): Promise<RunResult> {
    try {
      await this.sellAll();
      const { mssc } = await this.status();
      this.note(
        `mssc ${mssc.join(" ") || "empty"}; ${[...this.shop.seen].map(([what, n]) => `${n} x ${what}`).join(", ")}`,
      );
      const status = await this.service?.stop();
      if (status !== 0) this.violations.push(`the service ended with ${status}: ${this.service?.output.slice(-500)}`);
      for (const torture of this.tortures) await torture.atEnd?.(this);
      const { dataDir, mayReport, requestIds } = this;
      const { answers } = this.shop;
      const { signatures } = this.slot;
      const oddAnswers = this.tortures.some((torture) => torture.oddAnswers);
      this.violations.push(...verdictOf({ dataDir, mayReport, oddAnswers, requestIds, mssc, answers, signatures }));
    } catch (error) {
      this.violations.push(`the run broke off: ${error instanceof Error ? error.stack : error}`);
    } finally {
      await Promise.all([this.service?.kill(), this.other?.kill()]);
    }
    const { violations, kills, trace } = this;
    return { violations, kills, trace, signatures: this.slot.signatures.length };
  }

  /** Removes its disk; its folder stays when it is to be kept. */
  unmount(): void {
    this.disk?.remove();
  }

  note(what: string): void {
    this.trace.push(`${Date.now() - this.began} ms: ${what}`);
  }

  /** A task that takes time; the run ends after it. */
  meanwhile(what: string, task: () => Promise<void>): void {
    this.note(what);
    const running = task().catch((error: unknown) => {
      this.violations.push(`${what}: ${error instanceof Error ? error.stack : error}`);
    });
    this.underWay.add(running);
    void running.finally(() => this.underWay.delete(running));
  }

  /** Ends the service at once. It is started again after `repair`. */
  crash(why: string, repair: () => Promise<void> | void = () => undefined): void {
    this.kills++;
    this.service?.signal("SIGKILL");
    this.restart(why, repair);
  }

  /** As a supervisor does: a start that fails, as on a full disk, is repeated. */
  restart(why: string, repair: () => Promise<void> | void, how: "kill" | "stop" = "kill"): void {
    this.meanwhile(why, async () => {
      await this.repairs.run(async () => {
        await this.service?.[how]();
        await repair();
      });
      while (!(await this.repairs.run(() => this.startOrNote()))) await sleep(RESTART_MS);
    });
  }

  private async startOrNote(): Promise<boolean> {
    if (this.service?.alive) return true;
    try {
      await this.start();
      return true;
    } catch (error) {
      if (Date.now() > this.shop.deadline) throw error;
      this.noStart = messageOf(error);
      this.note(`no start: ${this.noStart.slice(0, 300)}`);
      return false;
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.service?.signal(signal);
  }

  shiftClock(ms: number): void {
    if (this.clockFile !== undefined) writeFileSync(this.clockFile, String(ms));
  }

  /** Starts another service on the same folder. @returns undefined when it refuses to start */
  async second(flags: ServiceOptions["flags"] = {}): Promise<ServiceProcess | undefined> {
    try {
      const options = this.options(await freePort());
      this.other = await ServiceProcess.start({ ...options, flags: { ...options.flags, ...flags } });
      return this.other;
    } catch (error) {
      const message = messageOf(error);
      this.note(`the other service: ${message.slice(0, 300)}`);
      if (/\n {4}at /.test(message)) this.violations.push(`a refused start shows a stack: ${message}`);
      return undefined;
    }
  }

  async stopSecond(): Promise<void> {
    await this.other?.stop();
  }

  async status(): Promise<{ readonly gsc: readonly string[]; readonly mssc: readonly string[] }> {
    const [url = ""] = this.urls;
    const outcome = await call(url, { method: "GET", path: "/api/v3/status" });
    if (typeof outcome === "string" || outcome.status !== 200) return { gsc: [], mssc: [] };
    return JSON.parse(outcome.text) as { gsc: string[]; mssc: string[] };
  }

  /** ms of a sale whose first request was answered; otherwise undefined, and the sale was repeated. */
  async timedSale(n: number): Promise<number | undefined> {
    const pos = this.pos(n);
    const begun = performance.now();
    const answered = await pos.once(n);
    const ms = Math.round(performance.now() - begun);
    if (answered) return ms;
    await pos.sell(n);
    return undefined;
  }

  use(): ReturnType<ServiceProcess["use"]> {
    return this.service?.use() ?? { memory: 0, handles: 0 };
  }

  saw(code: string): boolean {
    return this.shop.seen.has(code);
  }

  /** Why the service refuses to start; empty when its last start went well. */
  get refusedStart(): string {
    return this.noStart;
  }

  /** The receipts that the POS have printed, by RequestId. */
  get answers(): ReadonlyMap<string, string> {
    return this.shop.answers;
  }

  async eventually(isSo: () => Promise<boolean>, ms: number): Promise<boolean> {
    for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) if (await isSo()) return true;
    return false;
  }

  private async sellAll(): Promise<void> {
    const profile = Object.assign({}, ...this.tortures.map(({ profile: fields }) => fields ?? {})) as object;
    this.slot.replace({ ...profile }, join(this.folder, "card"));
    this.port = await freePort();
    this.urls.push(`http://127.0.0.1:${this.port}`);
    this.slot.hooks = this.moments.hooks;
    await this.repairs.run(() => this.start());
    for (const torture of this.tortures) await torture.arm?.(this);
    const { pos, sales, lasts = 0, pause = 0 } = this.sizes;
    const until = Date.now() + lasts;
    const tills = Array.from({ length: pos }, async (_, i) => {
      for (let n = i + 1; n <= sales || Date.now() < until; n += pos) {
        await this.pos(n).sell(n);
        if (pause > 0) await sleep(pause);
      }
    });
    await Promise.all(tills);
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    await this.unlock();
  }

  /** A POS that sells `n`: the card's log identifies the sale by its amount. */
  private pos(n: number): Pos {
    this.requestIds.set(amountOf(n), requestIdOf(n));
    return new Pos(this.shop);
  }

  private options(port: number): ServiceOptions {
    const flags = Object.assign({ port: String(port) }, ...this.tortures.map((one) => one.flags ?? {})) as Record<
      string,
      string
    >;
    return { dataDir: this.dataDir, flags, clockFile: this.clockFile };
  }

  private async start(): Promise<void> {
    this.service = await ServiceProcess.start(this.options(this.port));
    this.noStart = "";
    this.note("the service listens");
  }

  /** One at a time, as a person would. */
  unlock(): Promise<void> {
    this.unlocking ??= (async () => {
      for (const url of this.urls) {
        await postPin(url);
      }
      await sleep(UNLOCK_PAUSE_MS);
      this.unlocking = undefined;
    })();
    return this.unlocking;
  }

  private async settle(): Promise<void> {
    const n = ++this.training;
    this.requestIds.set(amountOf(n), requestIdOf(n));
    await postSale(this.urls[0] ?? "", n, "Training");
  }
}
