/** The tests of the command line run the build. It is made once, before all of them. */
import { buildIfChanged } from "../../build/build.mjs";

/** Ends the process if a step fails: the step has said why, and nothing shall hide it. */
export default function buildOrEnd() {
  try {
    buildIfChanged();
  } catch (error) {
    if (!("status" in error)) throw error;
    process.exit(1);
  }
}
