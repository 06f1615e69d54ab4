import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./app/store/archive/tables.ts",
  out: "./migrations/reads",
});
