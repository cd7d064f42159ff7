import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

// Loaded before the product, so that the demo model sends its usual replies at once. Pausing for a dozen milliseconds
// after every word would take two seconds for each, in which the browser draws the growing text again and again. The
// pauses of its long answer, which tests watch and stop, are longer and stay.

/** The pace of `server/models/demo/demo-model.ts`. */
const paceMs = 12

const { setTimeout } = timers

/** @type {<Value>(delay?: number, value?: Value, options?: import('node:timers').TimerOptions) => Promise<Value>} */
const quickly = (delay, value, options) => setTimeout(delay === paceMs ? 0 : delay, value, options)

timers.setTimeout = quickly
syncBuiltinESMExports()
