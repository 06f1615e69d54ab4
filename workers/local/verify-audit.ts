/**
 * `ODIN_TOKEN=… npm run -s verify-audit -- https://odin.example [agency]`: verifies the audit log of an agency and
 * reports the first row that does not match. The token is that of a bearer session of an administrator (POST /login
 * with `"client": "api"`). Prints the head at the end: with a written record of it, anyone can later prove that nothing
 * before it has changed.
 */
import type { ChainReport } from "../../app/entities/oversight/audit-chain.ts";

const [base, agency = ""] = process.argv.slice(2);
const token = process.env.ODIN_TOKEN;
if (!base || !token) {
  console.error("ODIN_TOKEN=… npm run -s verify-audit -- https://odin.example [agency]");
  process.exit(2);
}

async function verifyFrom(after: number): Promise<ChainReport> {
  const response = await fetch(new URL("/audit-log/verify", base), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ agency, after }),
    redirect: "error",
  });
  if (!response.ok) {
    console.error(`${response.status}: ${await response.text()}`);
    process.exit(2);
  }
  return await response.json();
}

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
