/**
 * `ODIN_TOKEN=… npm run -s verify-audit -- https://odin.example [agency]`: verifies the audit log of an agency and
 * reports the first row that does not match. The token is that of a bearer session of an administrator (POST /login
 * with `"client": "api"`). Prints the head at the end: with a written record of it, anyone can later prove that nothing
 * before it has changed.
 */
import type { ChainReport } from "../../app/entities/oversight/audit-chain.ts";
import { callOdin } from "./odin-call.ts";

const [base, agency = ""] = process.argv.slice(2);
const call = callOdin({
  base,
  token: process.env.ODIN_TOKEN,
  usage: "ODIN_TOKEN=… npm run -s verify-audit -- https://odin.example [agency]",
});
const verifyFrom = (after: number) => call<ChainReport>("POST", "/audit-log/verify", { agency, after });

let report = await verifyFrom(0);
while (report.next !== null) {
  process.stderr.write(`${report.checked} of ${report.total} rows\n`);
  report = await verifyFrom(report.next);
}
if (report.problem) {
  console.error(`Row ${report.problem.seq} does not match. ${report.problem.problem}`);
  process.exit(1);
}
console.log(
  `${report.checked} entries verified, ${report.waiting} not yet in the hash chain. Last hash ${report.head}`,
);
