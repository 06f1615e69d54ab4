import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./app/store/reads-schema.ts",
  out: "./migrations/reads",
});
