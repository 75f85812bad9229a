#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the exported functions of the stand-in libraries.

Reads the toolkit's own headers at build time, so that the stand-ins follow
whatever toolkit is installed, and the implementing sources, to see which
functions exist there. Called by tests/simgpu/CMakeLists.txt:

  generate_api.py driver  OUT INCLUDE_DIR CUPTI_DIR SOURCE...
  generate_api.py runtime OUT INCLUDE_DIR CUPTI_DIR SOURCE...
  generate_api.py errors  OUT INCLUDE_DIR
  generate_api.py cupti   OUT CUPTI_DIR
  generate_api.py statuses OUT CUDNN_DIR
  generate_api.py rest    OUT RETURN_TYPE VALUE PREFIX HEADER... -- SOURCE...

driver and runtime: for each function with a CUPTI parameter struct a wrapper
that fills the struct and issues the callbacks; what no source implements
answers "not supported". rest: every function that the headers declare and no
source defines, with one constant answer. errors: code-name tables; cupti: names of callbacks.
"""
import pathlib
import re
import sys

STRUCT = re.compile(r'typedef struct (\w+)_params_st \{\n(.*?)\n\}', re.S)
MEMBER = re.compile(r'^\s*(.*?)(\w+);$')

# Functions that work before cuInit, and families that need no context.
NEEDS_NOTHING = {'cuInit', 'cuDriverGetVersion', 'cuGetErrorString',
                 'cuGetErrorName', 'cuGetProcAddress', 'cuGetExportTable'}
NEEDS_INIT = re.compile(
    r'cuDevice|cuCtxCreate|cuCtxDestroy|cuCtxGet(Current|Device|Id|ApiVersion'
    r'|Flags)|cuCtxSetCurrent|cuCtxPushCurrent|cuCtxPopCurrent|cuMemCreate'
    r'|cuMemRelease|cuMemAddress|cuMemMap|cuMemUnmap|cuMemSetAccess|cuMemRetain'
    r'|cuMemGetAllocationGranularity|cuMemPool|cuPointerGet|cuProfiler'
    r'|cuCoredump|cuModuleGetFunction|cuLibraryGet|cuKernelGetFunction'
    r'|cuFuncGet|cuStreamGetId')

# Runtime functions whose result is not itself the thread's last error.
ERROR_QUERIES = {'cudaGetLastError', 'cudaPeekAtLastError'}


def read(path):
    return pathlib.Path(path).read_text(encoding='utf-8', errors='replace')


def structs(text):
    """Yields (name, [(type, parameter)]) of each CUPTI parameter struct."""
    for name, body in STRUCT.findall(text):
        members = [MEMBER.match(line) for line in body.split('\n')]
        yield name, [(m.group(1).strip(), m.group(2)) for m in members if m]


def implemented(sources, result):
    pattern = re.compile(r'^%s\s+(\w+)\(' % result, re.M)
    return {name for path in sources for name in pattern.findall(read(path))}


def bare(name):
    return re.sub(r'_pt[sd][sz]$', '', name)


def base(name):
    return re.sub(r'_v\d+$', '', bare(name))


def needs(name):
    if base(name) in NEEDS_NOTHING:
        return 'kNothing'
    return 'kInit' if NEEDS_INIT.match(name) else 'kContext'


def wrapper(function):
    """One exported function; `function` is a dict made below."""
    params = ', '.join('%s %s' % p for p in function['params'])
    names = ', '.join(name for _, name in function['params'])
    unused = '' if function['done'] else ''.join(
        '  (void)%s;\n' % name for _, name in function['params'])
    if function['done']:
        body = 'return simgpu::%s::%s(%s);' % (
            function['space'], function['impl'], names)
    else:
        body = 'return %s;' % function['otherwise']
    fill = pointer = ''
    if function['params']:
        fill = '  %s_params call_params{%s};\n' % (function['struct'], names)
        pointer = '&call_params'
    return ('extern "C" %s %s(%s) {\n%s%s  static constexpr CallSite kSite{%s};'
            '\n  return Api(kSite, %s, [&] { %s });\n}\n' % (
                function['result'], function['name'], params, unused, fill,
                function['site'], pointer or 'nullptr', body))


def emit(out, includes, functions, tail=''):
    lines = ['// Written by tests/simgpu/generate_api.py.\n']
    lines += ['#include "%s"\n' % i if not i.startswith('<') else
              '#include %s\n' % i for i in includes]
    lines += ['#undef %s\n' % f['name'] for f in functions]
    space = functions[0]['space']
    lines.append('namespace simgpu::%s {\n' % space)
    declared = set()
    for f in functions:
        if f['done'] and f['impl'] not in declared:
            declared.add(f['impl'])
            lines.append('%s %s(%s);\n' % (f['result'], f['impl'], ', '.join(
                kind for kind, _ in f['params'])))
    lines.append('}\nusing namespace simgpu::%s;\n' % space)
    lines += [wrapper(f) for f in functions]
    lines.append(tail)
    pathlib.Path(out).write_text(''.join(lines), encoding='utf-8')


def since(include):
    """CUDA versions in which the forms of each function appeared, ascending."""
    versions = {}
    for name, version in re.findall(r'PFN_(\w+?)_v(\d+)\)',
                                    read(include + '/cudaTypedefs.h')):
        versions.setdefault(name, set()).add(int(version))
    return {name: sorted(found) for name, found in versions.items()}


def form(name):
    found = re.search(r'_v(\d+)$', bare(name))
    return int(found.group(1)) if found else 1


def export_list(functions, include):
    versions = since(include)
    rows = []
    for f in functions:
        known = versions.get(base(f['name']), [2000])
        first = known[min(form(f['name']), len(known)) - 1]
        rows.append('    {"%s", reinterpret_cast<void*>(&::%s), %d, %s},\n' % (
            base(f['name']), f['name'], first,
            'true' if bare(f['name']) != f['name'] else 'false'))
    return ('#include "driver/export_list.h"\nnamespace simgpu::driver {\n'
            'std::span<const ExportedFunction> ExportList() {\n'
            '  static const ExportedFunction list[] = {\n%s  };\n'
            '  return list;\n}\n}\n' % ''.join(rows))


def driver(out, include, cupti, *sources):
    header = read(include + '/cuda.h')
    header += read(include + '/cudaProfiler.h')
    declared = set(re.findall(r'CUDAAPI\s+(\w+)\s*\(', header))
    done = implemented(sources, 'CUresult')
    cbids = set(re.findall(r'TRACE_CBID_(\w+)',
                           read(cupti + '/cupti_driver_cbid.h')))
    found = dict(structs(read(cupti + '/generated_cuda_meta.h')))
    for name in declared:  # functions without parameters have no struct
        if re.search(r'CUDAAPI\s+%s\s*\(void\)' % name, header):
            found.setdefault(name, [])
    functions = []
    for name, params in sorted(found.items()):
        if name not in cbids:
            continue
        functions.append({
            'name': name, 'struct': name, 'impl': bare(name),
            'params': params, 'done': bare(name) in done, 'space': 'driver',
            'result': 'CUresult', 'otherwise': 'CUDA_ERROR_NOT_SUPPORTED',
            'site': '"%s", CUPTI_DRIVER_TRACE_CBID_%s, Needs::%s' % (
                name, name, needs(name))})
    emit(out, ['<cuda.h>', '<cudaProfiler.h>', '<cupti.h>', 'driver/api.h'],
         functions, export_list(functions, include))


def runtime(out, include, cupti, *sources):
    header = (read(include + '/cuda_runtime_api.h') +
              read(include + '/cuda_profiler_api.h'))
    declared = set(re.findall(r'cudaError_t CUDARTAPI (\w+)\(', header))
    done = implemented(sources, 'cudaError_t')
    cbids = {}
    for cbid in re.findall(r'TRACE_CBID_(cuda\w+)',
                           read(cupti + '/cupti_runtime_cbid.h')):
        name, _, version = cbid.rpartition('_v')
        if name and version.isdigit():
            cbids.setdefault(name, {})[int(version)] = cbid
    found = {}
    for name, params in structs(
            read(cupti + '/generated_cuda_runtime_api_meta.h')):
        symbol, _, version = name.rpartition('_v')
        if symbol and version.isdigit():
            found.setdefault(symbol, {})[int(version)] = (name, params)
    for name in declared:  # functions without parameters have no struct
        if re.search(r'CUDARTAPI %s\(void\)' % name, header):
            found.setdefault(name, {0: (None, [])})
    functions = []
    for name, forms in sorted(found.items()):
        version = max(forms)
        ids = cbids.get(name, {})
        if not {name, bare(name)} & declared or not ids:
            continue
        cbid = ids.get(version, ids[max(ids)])
        functions.append({
            'name': name, 'struct': forms[version][0], 'impl': bare(name),
            'params': forms[version][1], 'done': bare(name) in done,
            'space': 'runtime', 'result': 'cudaError_t',
            'otherwise': 'cudaErrorNotSupported',
            'site': '"%s", CUPTI_RUNTIME_TRACE_CBID_%s, %s' % (
                name, cbid, 'false' if name in ERROR_QUERIES else 'true')})
    emit(out, ['<cuda_profiler_api.h>', '<cuda_runtime_api.h>',
               '<generated_cuda_runtime_api_meta.h>',
               'runtime/api.h'], functions)


def errors(out, include):
    lines = ['// Written by tests/simgpu/generate_api.py.\n#pragma once\n'
             'namespace simgpu {\nstruct ErrorName {\n  int code;\n'
             '  const char* name;\n};\n']
    for table, path, pattern in (
            ('kDriverErrorNames', 'cuda.h', r'^\s+(CUDA_(?:ERROR_)?\w+)\s+= (\d+)'),
            ('kRuntimeErrorNames', 'driver_types.h',
             r'^\s+(cuda(?:Error|Success)\w*)\s*=\s*(\d+)')):
        rows = {}
        for name, code in re.findall(pattern, read(include + '/' + path), re.M):
            if name.startswith(('CUDA_ERROR', 'CUDA_SUCCESS', 'cuda')):
                rows.setdefault(int(code), name)
        lines.append('inline constexpr ErrorName %s[] = {\n%s};\n' % (
            table, ''.join('    {%d, "%s"},\n' % row
                           for row in sorted(rows.items()))))
    lines.append('}\n')
    pathlib.Path(out).write_text(''.join(lines), encoding='utf-8')


def statuses(out, include):
    """The names of cuDNN's statuses."""
    rows = {}
    for name, code in re.findall(r'^\s+(CUDNN_STATUS_\w+)\s*= (\d+)',
                                 read(include + '/cudnn_graph.h'), re.M):
        rows.setdefault(int(code), name)
    pathlib.Path(out).write_text(
        '// Written by tests/simgpu/generate_api.py.\n#pragma once\n'
        'namespace simgpu::cudnn {\nstruct ErrorName {\n  int code;\n'
        '  const char* name;\n};\n'
        'inline constexpr ErrorName kCudnnStatusNames[] = {\n%s};\n}\n' %
        ''.join('    {%d, "%s"},\n' % row for row in sorted(rows.items())),
        encoding='utf-8')


def cupti(out, cupti_dir):
    """Names of callbacks by cbid and of CUPTI's results by number."""
    lines = ['// Written by tests/simgpu/generate_api.py.\n#pragma once\n'
             'namespace simgpu {\nstruct NumberedName {\n  unsigned number;\n'
             '  const char* name;\n};\n']
    for table, path, pattern in (
            ('kDriverCbidNames', 'cupti_driver_cbid.h', r'TRACE_CBID_(cu\w+)\s*= (\d+)'),
            ('kRuntimeCbidNames', 'cupti_runtime_cbid.h',
             r'TRACE_CBID_(cuda\w+)\s*= (\d+)'),
            ('kResultNames', 'cupti_result.h', r'^\s+(CUPTI_\w+)\s*= (\d+)')):
        rows = re.findall(pattern, read(cupti_dir + '/' + path), re.M)
        lines.append('inline constexpr NumberedName %s[] = {\n%s};\n' % (
            table, ''.join('    {%s, "%s"},\n' % (n, name)
                           for name, n in rows)))
    lines.append('}\n')
    pathlib.Path(out).write_text(''.join(lines), encoding='utf-8')


def rest(out, result, value, prefix, *paths):
    split = paths.index('--')
    sources = ''.join(read(path) for path in paths[split + 1:])
    names = set()
    for path in paths[:split]:
        names |= set(re.findall(
            r'^(?:\w+ )*?%s\s+\w+\s+(%s\w+)\s*\(' % (result, prefix),
            read(path), re.M))
    lines = ['// Written by tests/simgpu/generate_api.py.\n'
             'int simgpu_not_done(const char* function, int value);\n']
    for name in sorted(names):
        if re.search(r'\b%s\s*\(' % name, sources):
            continue
        lines.append('extern "C" int %s() {\n  return simgpu_not_done("%s", '
                     '%s);\n}\n' % (name, name, value))
    pathlib.Path(out).write_text(''.join(lines), encoding='utf-8')


if __name__ == '__main__':
    {'driver': driver, 'runtime': runtime, 'errors': errors,
     'cupti': cupti, 'statuses': statuses, 'rest': rest}[sys.argv[1]](*sys.argv[2:])
