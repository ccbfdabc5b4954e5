/** A service that runs somewhere: it gets the traffic; its card and its world are not ours. */
import type { Given } from "../world/given.js";
import { NotApplicable, type Stage } from "./stage.js";

export function openRemoteStage(baseUrl: string): (given: Given) => Promise<Stage> {
  return async (given) => {
    if (Object.keys(given).length > 0) throw new NotApplicable("`given` needs control of the service's world");
    const refuse = (what: string) => async () => {
      throw new NotApplicable(`${what} needs control of a card and a world that are not ours`);
    };
    return {
      baseUrl,
      lifeState: () => undefined,
      card: refuse("a card action"),
      clock: refuse("a clock action"),
      service: refuse("a restart of the service"),
      authority: refuse("an act of the authority"),
      faults: refuse("a fault"),
      standing: refuse("a check of card and store"),
      close: async () => undefined,
    };
  };
}
