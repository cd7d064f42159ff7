import { createRequire } from 'node:module'
import Fastify from 'fastify'

/* The baseline for the start of the product: Fastify with one route that reads from SQLite. Prints its address. */

const name = 'better-sqlite3'
const Sqlite = createRequire(import.meta.url)(name)
const database = new Sqlite(':memory:')
const app = Fastify()
app.get('/', () => database.prepare('select 1 as one').get())
process.stdout.write(`${await app.listen({ port: 0 })}\n`)
