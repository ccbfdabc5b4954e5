/** Makes and removes the separate worlds that share the address of a world. Each has its own control interface. */
import { Mutex } from "../../src/base/mutex.js";
import { ControlError } from "../endpoint/errors.js";
import { type Given, withBase } from "../world/given.js";
import { World } from "../world/world.js";
import type { WorldOptions } from "../world/world-options.js";
import { noSuchWorld, type SeparateWorld } from "../world/worlds.js";

export interface ControlOpener {
  /** Opens a control interface on a free port of this machine. */
  open(world: World): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Options of a separate world: those of the world whose address it shares, but a free port and a temporary folder. */
function separateOptions({ realTime = false, base = {}, log, seed }: WorldOptions): WorldOptions {
  return { realTime, base, ...(log ? { log } : {}), ...(seed === undefined ? {} : { seed }) };
}

interface Named {
  readonly name: string;
  /** Prefix of `/api/v3` and `/control`. */
  readonly path: string;
}

const named = (name: string): Named => ({ name, path: `/worlds/${name}` });

export class SeparateWorlds {
  private readonly opened = new Map<SeparateWorld, World>();
  /** Prevents two calls with one name from making two worlds. */
  private readonly mutex = new Mutex();

  constructor(
    private readonly world: World,
    private readonly control: ControlOpener,
  ) {}

  get list(): Named[] {
    return this.world.worlds.names.map(named);
  }

  /**
   * Makes a world, or starts the one of that name again.
   * @param given the start of the world. Without fields: the start of the first world
   * @throws ConfigError if `given` asks for something impossible, LimitError if there are too many worlds
   */
  make(name: string, given: Given): Promise<Named> {
    return this.mutex.run(async () => {
      const start = this.startOf(given);
      const there = this.world.worlds.get(name);
      if (there) {
        await this.opened.get(there)?.startAgain(start);
        return named(name);
      }
      this.world.worlds.requireRoom();
      this.world.worlds.keep(name, await this.open(start));
      return named(name);
    });
  }

  /** @throws ControlError 404 if there is no world with this name */
  remove(name: string): Promise<void> {
    return this.mutex.run(async () => {
      if (!(await this.world.worlds.remove(name))) throw new ControlError(404, noSuchWorld(name));
    });
  }

  private startOf(given: Given): Given {
    return Object.keys(given).length === 0 ? this.world.given : withBase(this.world.options.base ?? {}, given);
  }

  private async open(given: Given): Promise<SeparateWorld> {
    const world = await World.open(given, separateOptions(this.world.options));
    try {
      const control = await this.control.open(world);
      const separate: SeparateWorld = {
        get url() {
          return world.url;
        },
        controlUrl: control.url,
        close: async () => {
          this.opened.delete(separate);
          await control.close();
          await world.close();
        },
      };
      this.opened.set(separate, world);
      return separate;
    } catch (error) {
      await world.close();
      throw error;
    }
  }
}
