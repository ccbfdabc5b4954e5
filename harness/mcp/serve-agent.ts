/** Runs `tillseal mcp`: an emulator for a coding agent, over the Model Context Protocol on standard input and output. */

import type { jsonSchemaValidator } from "@modelcontextprotocol/server";
import { cut } from "../../emulator/faults/match.js";
import { PACKAGE_VERSION } from "../../src/base/package-root.js";
import { messageOf } from "../../src/base/thrown.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { compileSchema, explainErrors, type JsonSchema } from "../../src/schema/validator.js";
import { openEmulator } from "../control/control-server.js";
import { controlAt } from "../scenario/controlled-stage.js";
import { LONGEST_ANSWER } from "./brief.js";
import { type Till, TOOLS } from "./tools.js";

/**
 * Starts an emulator for an agent.
 * @param port of the service; with 0, the system chooses a free port
 * @throws Error if the service cannot use the port
 */
export async function serveAgent(port: number): Promise<{ close(): Promise<void> }> {
  // We load the SDK on demand, because only this command needs it.
  const [{ McpServer, fromJsonSchema }, { serveStdio }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const { world, control, close } = await openEmulator({}, { port, realTime: true });
  try {
    const till: Till = { url: world.url, controlUrl: control.url, control: controlAt(control.url) };
    const handle = serveStdio(() => {
      const instructions = `A fiscal service on an emulated card. A POS under test posts to ${till.url}${API_PREFIX}. Nothing here is real. Call list_situations with the text pos/ first: begin_situation starts one, and judge_situation says whether the POS did right.`;
      const server = new McpServer({ name: "tillseal", version: PACKAGE_VERSION }, { instructions });
      for (const { name, description, effect, input, run } of TOOLS) {
        const annotations = {
          readOnlyHint: effect === "reads",
          destructiveHint: effect === "erases",
          // Every tool works on this emulator only.
          openWorldHint: false,
        };
        server.registerTool(
          name,
          { description, annotations, inputSchema: fromJsonSchema<never>(input, SCHEMAS) },
          async (values: never) => {
            try {
              return { content: contentOf(await run(till, values)) };
            } catch (error) {
              return { isError: true, content: contentOf(messageOf(error)) };
            }
          },
        );
      }
      return server;
    });
    return {
      close: async () => {
        await handle.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Our validator knows our formats, and explains mistakes like the control interface. */
const SCHEMAS: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchema) => {
    const validate = compileSchema<T>(schema);
    return (value: unknown) =>
      validate(value)
        ? { valid: true, data: value, errorMessage: undefined }
        : {
            valid: false,
            data: undefined,
            errorMessage: explainErrors(validate.errors, "the input", "names").join("; "),
          };
  },
};

function contentOf(result: unknown = "done") {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return [{ type: "text" as const, text: cut(text, LONGEST_ANSWER) }];
}
