// Replays memconf's vectors through vitest: VECTORS=vectors.json HANDLER=./handler.mjs npx vitest run. The handler's
// module exports `memory()`: gives a function, over an empty store, from a command's input to { text, isError }.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const { vectors } = JSON.parse(readFileSync(process.env.VECTORS ?? 'vectors.json', 'utf8'))
const { memory } = await import(resolve(process.env.HANDLER ?? 'handler.mjs'))
const rows = (text) => JSON.stringify(text.split('\n').map((l) => l.replace(/^\S+\t/, '').replace(/\/+$/, '')).sort())
const same = { any: () => true, exact: (text, want) => text === want, prefix: (text, want) => text.startsWith(want),
  listing: (text, want) => rows(text) === rows(want) }

for (const { id, needs, steps } of vectors) {
  test.skipIf(needs.length)(id, async () => {
    const taken = new Set([undefined])
    const call = await memory()
    for (const step of steps) {
      if (!taken.has(step.when)) continue
      const input = { ...step.call }
      for (const [field, { text, times }] of Object.entries(step.repeat ?? {})) input[field] = text.repeat(times)
      const { text, isError } = await call(input)
      const good = step.allowed.filter((one) =>
        one.is_error === isError && taken.has(one.when) && same[one.matches](text, one.text))
      expect(good.length || !step.allowed.length, `${JSON.stringify(input)} is answered with ${text}`).toBeTruthy()
      if (good[0]?.choice) taken.add(good[0].choice)
    }
  })
}
