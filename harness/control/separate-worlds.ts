/** Makes and removes the worlds that share the address of a world. Each has its own control interface. */

import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import { type Given, withBase } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import type { WorldOptions } from "../../emulator/world/world-options.js";
import { noSuchWorld, type SeparateWorld } from "../../emulator/world/worlds.js";
import { Mutex } from "../../src/base/mutex.js";

/** Those of the world whose address it shares, but with a free port and a temporary folder. */
function separateOptions({ realTime = false, base = {}, log, seed }: WorldOptions): WorldOptions {
  return { realTime, base, ...(log ? { log } : {}), ...(seed === undefined ? {} : { seed }) };
}

interface Named {
  readonly name: string;
  /** Path of the world, to which its POS adds `/api/v3` and a test adds `/control`. */
  readonly path: string;
}

const named = (name: string): Named => ({ name, path: `/worlds/${name}` });

export class SeparateWorlds {
  /** Prevents two calls with one name from making two worlds. */
  private readonly mutex = new Mutex();

  constructor(
    private readonly world: World,
    /** Opens a control interface on a free port of this machine. */
    private readonly openControl: (world: World) => Promise<{ readonly url: string; close(): Promise<void> }>,
  ) {}

  get list(): Named[] {
    return this.world.worlds.names.map(named);
  }

  /**
   * Makes a world, or starts the world of that name again.
   * @param given the start of the world. If `given` has no fields, the world starts like the first world
   * @throws ConfigError if `given` asks for something impossible, LimitError if there are too many worlds
   */
  make(name: string, given: Given): Promise<Named> {
    return this.mutex.run(async () => {
      const start = this.startOf(given);
      const there = this.world.worlds.get(name);
      if (there) {
        await there.startAgain(start);
        return named(name);
      }
      this.world.worlds.requireRoom();
      this.world.worlds.keep(name, await this.open(start));
      return named(name);
    });
  }

  /** Ends and deletes a world. @throws ControlError 404 if there is no world with this name */
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
      const control = await this.openControl(world);
      return {
        get url() {
          return world.url;
        },
        controlUrl: control.url,
        startAgain: (start) => world.startAgain(start),
        close: async () => {
          await control.close();
          await world.close();
        },
      };
    } catch (error) {
      await world.close();
      throw error;
    }
  }
}
