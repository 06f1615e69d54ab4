import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./app/store/schema/*.ts",
  out: "./migrations/control",
});
