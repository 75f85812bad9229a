# SPDX-License-Identifier: Apache-2.0
"""The allocators once more, from their sources' rules and as simply as can be:
lists that are searched from end to end. Nothing is shared with the models in
analyzer/whatif but the constants of the real thing and where addresses begin."""

KIB, MIB = 1 << 10, 1 << 20
PAGE = 2 * MIB


def up(value, unit):
    return -(-value // unit) * unit


class Driver:
    """Pages of 2 MiB; small blocks share one. Addresses by first fit."""

    def __init__(self, capacity, one_piece=False):
        self.capacity, self.one_piece = capacity // PAGE * PAGE, one_piece
        self.base = 1 << 45
        self.ranges = []     # [address, bytes] of whole pages, by address
        self.small = {}      # page -> [[offset, bytes]] by offset
        self.loose = 0       # bytes without an address

    def used(self):
        return sum(size for _, size in self.ranges) + self.loose

    def gap(self, size):
        at = self.base
        for address, taken in self.ranges:
            if address - at >= size:
                return at
            at = address + taken
        end = self.base + (self.capacity if self.one_piece else 1 << 46)
        return at if end - at >= size else None

    def take(self, size):
        if self.used() + size > self.capacity:
            return None
        address = self.gap(size)
        if address is not None:
            self.ranges.append([address, size])
            self.ranges.sort()
        return address

    def alloc(self, size):
        if size > MIB:
            return self.take(up(size, PAGE))
        size = up(max(size, 1), 512)
        for page in sorted(self.small):
            at = 0
            for offset, taken in self.small[page] + [[PAGE, 0]]:
                if offset - at >= size:
                    self.small[page] = sorted(self.small[page] + [[at, size]])
                    return page + at
                at = offset + taken
        page = self.take(PAGE)
        if page is None:
            return None
        self.small[page] = [[0, size]]
        return page

    def free(self, address):
        page = address // PAGE * PAGE
        if page in self.small:
            self.small[page] = [one for one in self.small[page]
                                if one[0] != address - page]
            if self.small[page]:
                return
            del self.small[page]
            address = page
        self.ranges = [one for one in self.ranges if one[0] != address]

    def largest(self):
        left = self.capacity - self.used()
        if not self.one_piece:
            return left
        edges = [[self.base, 0]] + self.ranges + [
            [self.base + self.capacity, 0]]
        holes = [b[0] - a[0] - a[1] for a, b in zip(edges, edges[1:])]
        return min(left, max(holes))


class CudaMalloc:
    def __init__(self, driver, _settings):
        self.driver, self.blocks = driver, {}

    def alloc(self, block, size, _queue):
        address = self.driver.alloc(size)
        if address is None:
            return False
        self.blocks[block] = (address, size)
        return True

    def free(self, block):
        if block in self.blocks:
            self.driver.free(self.blocks.pop(block)[0])

    def empty(self):
        pass

    def state(self):
        return (sum(size for _, size in self.blocks.values()),
                self.driver.used(), self.driver.largest(),
                sorted(self.blocks.values()))


class Async:
    """Any page serves any request: only their number counts."""

    def __init__(self, driver, _settings):
        self.driver, self.blocks = driver, {}
        self.inside = Driver(1 << 44)
        self.held = 0

    def alloc(self, block, size, _queue):
        address = self.inside.alloc(size)
        if self.inside.used() > self.driver.capacity:
            self.inside.free(address)
            return False
        self.held = max(self.held, self.inside.used())
        self.blocks[block] = (address, up(max(size, 1), 512))
        return True

    def free(self, block):
        if block in self.blocks:
            self.inside.free(self.blocks.pop(block)[0])

    def empty(self):
        self.held = self.inside.used()

    def state(self):
        return (sum(size for _, size in self.blocks.values()), self.held,
                self.held - self.inside.used(),
                [(0, self.held)] if self.held else [])


class Piece:
    def __init__(self, address, size, mapped=True):
        self.address, self.size, self.mapped = address, size, mapped
        self.block, self.born = None, 0


class Segment:
    def __init__(self, queue, small, pieces, base=None):
        self.queue, self.small, self.pieces = queue, small, pieces
        self.base = base  # of one that grows


class Torch:
    def __init__(self, driver, settings):
        self.driver, self.segments, self.searches = driver, [], 0
        self.set = {"split": None, "gc": 0, "fraction": None, "grow": False,
                    "rounding": 20 * MIB, "large": 20 * MIB,
                    "divisions": [0] * 16, **settings}
        self.next = 1 << 50

    # -- sizes
    def round(self, size):
        if size < 512:
            return 512
        index = min(max(size.bit_length() - 1 - 20, 0), 15)
        parts = self.set["divisions"][index]
        if parts <= 1 or size <= 512 * parts:
            return up(size, 512)
        floor = 1 << (size.bit_length() - 1)
        return size if size == floor else up(size, floor // parts)

    def limit(self):
        return self.set["split"] or float("inf")

    def page(self, small):
        return PAGE if small else self.set["large"]

    # -- looking
    def free_pieces(self, queue=None, small=None):
        for segment in self.segments:
            if queue is not None and (segment.queue, segment.small) != (
                    queue, small):
                continue
            for piece in segment.pieces:
                if piece.block is None and piece.mapped:
                    yield piece, segment

    def reserved(self):
        return sum(piece.size for segment in self.segments
                   for piece in segment.pieces if piece.mapped)

    def reach(self, piece, segment):
        at = segment.pieces.index(piece) + 1
        more = at < len(segment.pieces) and not segment.pieces[at].mapped
        return piece.size + (segment.pieces[at].size if more else 0)

    def find(self, queue, small, size):
        if self.collects() and not small and queue != 3:
            self.searches += 1
        fits = sorted(((piece.size, piece.address, piece, segment) for
                       piece, segment in self.free_pieces(queue, small)
                       if piece.size >= size), key=lambda one: one[:2])
        if not fits:
            return None
        at = 0
        if fits[0][3].base is not None:
            while (fits[at][3].base is not None and at + 1 < len(fits) and
                   self.reach(*fits[at + 1][2:]) < self.reach(*fits[at][2:])):
                at += 1
        found = fits[at]
        if size < self.limit() <= found[0]:
            return None
        if size >= self.limit() and found[0] >= size + self.set["rounding"]:
            return None
        return found[2:]

    # -- growing
    def ask(self, queue, small, size):
        want = PAGE if size <= MIB else (
            self.set["large"] if size < 10 * MIB else up(size, PAGE))
        fraction = self.set["fraction"]
        if fraction and self.reserved() + want > int(
                fraction * self.driver.capacity):
            return None
        if self.set["grow"]:
            return self.grow(queue, small, size)
        address = self.driver.alloc(want)
        if address is None:
            return None
        segment = Segment(queue, small, [Piece(address, want)])
        self.segments.append(segment)
        return segment.pieces[0], segment

    def room(self, queue, small, size):
        """The lowest run of pieces that nobody has and that can be mapped."""
        best = None
        for segment in self.segments:
            if segment.base is None or (segment.queue, segment.small) != (
                    queue, small):
                continue
            run = []
            for piece in segment.pieces + [None]:
                if piece is not None and piece.block is None:
                    run.append(piece)
                    continue
                if sum(one.size for one in run) >= size and not all(
                        one.mapped for one in run):
                    if best is None or run[0].address < best[0][0].address:
                        best = (run, segment)
                run = []
        return best

    def grow(self, queue, small, size):
        page = self.page(small)
        found = self.room(queue, small, size)
        if found is None:
            space = up(self.driver.capacity + self.driver.capacity // 8, page)
            piece = Piece(self.next, space, mapped=False)
            segment = Segment(queue, small, [piece], base=self.next)
            self.next += space + page
            self.segments.append(segment)
            found = ([piece], segment)
        run, segment = found
        start, missing = run[0].address, size
        for piece in run:
            if missing <= 0:
                break
            if piece.mapped:
                missing -= piece.size
                continue
            part = min(up(min(missing, piece.size), page), piece.size)
            if self.driver.used() + part > self.driver.capacity:
                self.join(segment)
                return None
            self.driver.loose += part
            self.cut(segment, piece, part)
            piece.mapped, piece.born = True, self.searches
            missing -= part
        self.join(segment)
        return [(piece, segment) for piece in segment.pieces
                if piece.address == start][0]

    def cut(self, segment, piece, size):
        if size >= piece.size:
            return
        rest = Piece(piece.address + size, piece.size - size, piece.mapped)
        rest.born = self.searches
        piece.size = size
        segment.pieces.insert(segment.pieces.index(piece) + 1, rest)

    def join(self, segment):
        joined = []
        for piece in segment.pieces:
            last = joined[-1] if joined else None
            if last and last.block is None and piece.block is None and (
                    last.mapped == piece.mapped):
                last.size += piece.size
                last.born = max(last.born, piece.born)
            else:
                joined.append(piece)
        segment.pieces = joined

    # -- giving back
    def collects(self):
        return self.set["fraction"] and self.set["gc"] > 0

    def whole(self, segment):
        return segment.base is None and len(segment.pieces) == 1 and (
            segment.pieces[0].block is None)

    def give(self, segment):
        self.driver.free(segment.pieces[0].address)
        self.segments.remove(segment)
        return segment.pieces[0].size

    def collect(self):
        allowed = int(self.set["fraction"] * self.driver.capacity)
        aim = self.reserved() - int(self.set["gc"] * allowed)
        got = 0
        while aim > 0 and got < aim:
            old = [one for one in self.segments if self.whole(one) and
                   not one.small and one.queue != 3]
            if not old:
                return
            ages = [self.searches - one.pieces[0].born for one in old]
            mean = sum(ages) / len(ages)
            gone = [one for one, age in zip(old, ages) if age >= mean]
            if not gone:
                return
            got += sum(self.give(one) for one in gone)

    def give_oversize(self, queue, small, size):
        if self.set["split"] is None:
            return False
        want = max(size, self.limit())
        by_size = sorted(((piece.size, piece.address, segment) for
                          piece, segment in self.free_pieces(queue, small)),
                         key=lambda one: one[:2])
        enough = [one for one in by_size if one[0] >= want]
        if enough:
            self.give(enough[0][2])
            return True
        got = 0
        while got < want and by_size and by_size[-1][0] >= self.limit():
            got += self.give(by_size.pop()[2])
        return got >= want

    def empty(self):
        for segment in list(self.segments):
            if segment.queue == 3:
                continue
            if self.whole(segment):
                self.give(segment)
            elif segment.base is not None:
                self.unmap(segment)

    def unmap(self, segment):
        page = self.page(segment.small)
        given = False
        for piece in list(segment.pieces):
            if piece.block is not None or not piece.mapped:
                continue
            start = piece.address - segment.base
            low, high = up(start, page), (start + piece.size) // page * page
            if low >= high:
                continue
            if low > start:
                self.cut(segment, piece, low - start)
                piece = segment.pieces[segment.pieces.index(piece) + 1]
            self.cut(segment, piece, high - low)
            piece.mapped, given = False, True
            self.driver.loose -= high - low
        self.join(segment)
        if given and len(segment.pieces) == 1 and (
                not segment.pieces[0].mapped):
            self.segments.remove(segment)

    # -- the program's side
    def alloc(self, block, asked, queue):
        size = self.round(asked)
        small = size <= MIB
        found = self.find(queue, small, size)
        if not found:
            if self.collects():
                self.collect()
            found = self.ask(queue, small, size)
            if not found and self.give_oversize(queue, small, size):
                found = self.ask(queue, small, size)
            if not found:
                self.empty()
                found = self.ask(queue, small, size)
        if not found:
            return False
        piece, segment = found
        rest = piece.size - size
        if small or self.set["grow"]:
            split = rest >= 512
        else:
            split = size < self.limit() and rest > MIB
        if split:
            self.cut(segment, piece, size)
        piece.block = block
        return True

    def free(self, block):
        for segment in self.segments:
            for piece in segment.pieces:
                if piece.block == block:
                    piece.block, piece.born = None, self.searches
                    self.join(segment)
                    return

    def state(self):
        held = []
        for segment in self.segments:
            run = None
            for piece in segment.pieces:
                if not piece.mapped:
                    run = None
                elif run is None:
                    run = [piece.address, piece.size]
                    held.append(run)
                else:
                    run[1] += piece.size
        largest = max((piece.size for piece, _ in self.free_pieces()),
                      default=0)
        used = sum(piece.size for segment in self.segments
                   for piece in segment.pieces if piece.block is not None)
        return (used, self.reserved(), largest, sorted(map(tuple, held)))


class Bfc:
    """With its bins, each searched from its smallest chunk on."""

    def __init__(self, driver, settings):
        self.driver, self.limit = driver, driver.capacity
        self.growth = settings["growth"]
        self.next = up(min(self.limit, 2 * MIB) if self.growth
                       else self.limit, 256)
        self.regions = []  # (address, bytes, [[address, size, block]])

    @staticmethod
    def bin(size):
        return min(20, max(0, (max(size, 256) // 256).bit_length() - 1))

    def pool(self):
        return sum(region[1] for region in self.regions)

    def find(self, size):
        bins = [[] for _ in range(21)]
        for region in self.regions:
            for chunk in region[2]:
                if chunk[2] is None:
                    bins[self.bin(chunk[1])].append(
                        (chunk[1], chunk[0], chunk, region))
        for number in range(self.bin(size), 21):
            for _, _, chunk, region in sorted(bins[number],
                                              key=lambda one: one[:2]):
                if chunk[1] >= size:
                    return chunk, region
        return None

    def extend(self, size):
        left = (self.limit - self.pool()) // 256 * 256
        if size > left:
            return False
        increased = False
        while size > self.next:
            self.next *= 2
            increased = True
        want = min(self.next, left)
        address = self.driver.alloc(want)
        while address is None:
            less = up(int(to_float(to_float(want) * to_float(0.9))), 256)
            want = want - 256 if less >= want else less
            if want < size:
                return False
            address = self.driver.alloc(want)
        if not increased:
            self.next *= 2
        self.regions.append((address, want, [[address, want, None]]))
        return True

    def give_back(self, size):
        idle = [one for one in self.regions
                if all(chunk[2] is None for chunk in one[2])]
        total = sum(one[1] for one in idle)
        if not idle or size > self.limit - self.pool() + total:
            return False
        for one in idle:
            self.driver.free(one[0])
            self.regions.remove(one)
        return True

    def alloc(self, block, asked, _queue):
        size = up(max(asked, 1), 256)
        found = self.find(size)
        if not found and self.extend(size):
            found = self.find(size)
        if not found and self.give_back(size) and self.extend(size):
            found = self.find(size)
        if not found:
            return False
        chunk, region = found
        if chunk[1] >= 2 * size or chunk[1] - size >= 128 * MIB:
            at = region[2].index(chunk)
            region[2].insert(at + 1, [chunk[0] + size, chunk[1] - size, None])
            chunk[1] = size
        chunk[2] = block
        return True

    def free(self, block):
        for _, _, chunks in self.regions:
            for at, chunk in enumerate(chunks):
                if chunk[2] != block:
                    continue
                chunk[2] = None
                if at + 1 < len(chunks) and chunks[at + 1][2] is None:
                    chunk[1] += chunks.pop(at + 1)[1]
                if at > 0 and chunks[at - 1][2] is None:
                    chunks[at - 1][1] += chunks.pop(at)[1]
                return

    def empty(self):
        pass

    def state(self):
        chunks = [chunk for region in self.regions for chunk in region[2]]
        return (sum(chunk[1] for chunk in chunks if chunk[2] is not None),
                self.pool(),
                max((chunk[1] for chunk in chunks if chunk[2] is None),
                    default=0),
                sorted((region[0], region[1]) for region in self.regions))


def to_float(value):
    import struct
    return struct.unpack("f", struct.pack("f", value))[0]
