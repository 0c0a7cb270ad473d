// Goal: every place is looked from, by no more devices than asked for, of different owners where
// there are some. Method: small fleets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseDevices, type Candidate } from './choose-devices.ts'

const device = (name: string, owner: string, place: string): Candidate => ({
  device: name,
  owner,
  place,
})

test('each place sends as many as are wanted, of two owners before two of one', () => {
  const fleet = [
    device('a1', 'ana', 'PE'),
    device('a2', 'ana', 'PE'),
    device('a3', 'ana', 'PE'),
    device('b1', 'bob', 'PE'),
    device('c1', 'eva', 'CL'),
  ]
  for (let run = 0; run < 20; run++) {
    const chosen = chooseDevices(fleet, { perPlace: 2, seed: `run ${run}`, most: 100 })
    const ofPeru = chosen.filter(({ place }) => place === 'PE')
    assert.deepEqual(new Set(ofPeru.map(({ owner }) => owner)), new Set(['ana', 'bob']))
    assert.equal(ofPeru.length, 2)
    assert.equal(chosen.length, 3)
  }
})

test('another run asks others, the same run the same', () => {
  const fleet = Array.from({ length: 50 }, (_, i) => device(`d${i}`, `o${i}`, 'PE'))
  const names = (seed: string): string =>
    chooseDevices(fleet, { perPlace: 2, seed, most: 100 })
      .map((one) => one.device)
      .join()
  assert.equal(names('one'), names('one'))
  assert.notEqual(names('one'), names('two'))
})

test('a long list is looked at by fewer', () => {
  const fleet = ['PE', 'CL', 'AR'].flatMap((place) => [device(place, place, place)])
  assert.equal(chooseDevices(fleet, { perPlace: 2, seed: 'one', most: 2 }).length, 2)
})
