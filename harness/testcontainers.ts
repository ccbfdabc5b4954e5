/** The emulator in a container for one test: `import { TillsealContainer } from "tillseal/testcontainers"`. */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import type { SentRequest } from "./scenario/request-types.js";

const SERVICE_PORT = 8431;
const CONTROL_PORT = 8432;
const SCENARIO = "/tmp/scenario.yaml";

export class TillsealContainer extends GenericContainer {
  private scenario: string | undefined;

  /** @param image built from docker/Dockerfile, target `emulator` */
  constructor(image = "tillseal:emulator") {
    super(image);
    this.withExposedPorts(SERVICE_PORT, CONTROL_PORT)
      // The container engine's host may have any name. Only this test knows the ports, so every name is allowed.
      .withEnvironment({ TILLSEAL_ALLOWED_HOSTS: "*" })
      .withWaitStrategy(
        Wait.forAll([
          Wait.forHttp("/api/v3/attention", SERVICE_PORT),
          Wait.forHttp("/control/card", CONTROL_PORT),
          // Attention already answers before the card is configured, so this waits for the log line.
          Wait.forLogMessage(/^ready\s*$/),
        ]),
      );
  }

  /** Starts from the `given` of a scenario: a file on this machine, or the name of a shipped one such as `pin/card-locked`. */
  withScenario(scenario: string): this {
    this.scenario = scenario;
    if (!existsSync(scenario)) return this.withEnvironment({ TILLSEAL_SCENARIO: scenario });
    return this.withEnvironment({ TILLSEAL_SCENARIO: SCENARIO }).withCopyFilesToContainer([
      { source: scenario, target: SCENARIO, mode: 0o644 },
    ]);
  }

  /** Hands each line of the service's log to the test. */
  withLog(write: (line: string) => void): this {
    return this.withLogConsumer((stream) => void createInterface({ input: stream }).on("line", write));
  }

  override async start(): Promise<StartedTillsealContainer> {
    return new StartedTillsealContainer(await super.start(), this.scenario);
  }
}

export class StartedTillsealContainer extends AbstractStartedContainer {
  /** Use {@link TillsealContainer.start}. */
  constructor(
    container: StartedTestContainer,
    private readonly scenario?: string,
  ) {
    super(container);
  }

  /** Which expectations of the scenario's file the till has not met so far, each as a text. Rejects if the scenario has no `expect`. */
  async unmet(): Promise<string[]> {
    const { unmetOf } = await import("./scenario/judge.js");
    const answer = await fetch(`${this.getControlUrl()}/control/traffic/find`, { method: "POST", body: "{}" });
    if (!answer.ok) throw new Error(`the control interface answers ${answer.status}: ${await answer.text()}`);
    const { requests } = (await answer.json()) as { readonly requests: readonly SentRequest[] };
    return unmetOf(this.scenario, requests);
  }

  /** `http://localhost:32768`, where a till posts to `/api/v3/...`. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(SERVICE_PORT)}`;
  }

  /** `http://localhost:32769`, where `/control/...` drives the emulator. */
  getControlUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(CONTROL_PORT)}`;
  }
}
