/** The command line tests run the build, so it is made once, before all of them. */
import { execFileSync } from "node:child_process";

export default function build(): void {
  execFileSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
}
