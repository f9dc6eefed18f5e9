package tinymodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// gguf is a model file in GGUF, version 3, as llama.cpp reads it. Its tensors
// are all of 32-bit floats.
type gguf struct {
	values  []value
	tensors []tensor
}

// value is an entry of the header: a string, bool, uint32, float32, []string
// or []int32.
type value struct {
	key string
	of  any
}

// tensor is a matrix of len(data)/width rows, or a vector where width is 0.
type tensor struct {
	name  string
	width int
	data  []float32
}

// alignment is that of the tensors' data within the file, in bytes.
const alignment = 32

// The numbers by which GGUF names the types of values.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
)

func (g *gguf) set(key string, of any) { g.values = append(g.values, value{key, of}) }

func (g *gguf) add(name string, width int, data []float32) {
	g.tensors = append(g.tensors, tensor{name, width, data})
}

func (g *gguf) bytes() []byte {
	var w writer
	w.WriteString("GGUF")
	w.uint32(3)
	w.uint64(uint64(len(g.tensors)))
	w.uint64(uint64(len(g.values)))
	for _, v := range g.values {
		w.string(v.key)
		w.value(v.of)
	}
	offset := 0
	for _, t := range g.tensors {
		w.string(t.name)
		w.dimensions(t)
		w.uint32(0) // 32-bit floats
		w.uint64(uint64(offset))
		offset = aligned(offset + 4*len(t.data))
	}
	for _, t := range g.tensors {
		w.pad()
		for _, x := range t.data {
			w.uint32(math.Float32bits(x))
		}
	}
	w.pad()
	return w.Bytes()
}

func aligned(offset int) int { return (offset + alignment - 1) / alignment * alignment }

type writer struct{ bytes.Buffer }

func (w *writer) uint32(x uint32) { w.Write(binary.LittleEndian.AppendUint32(nil, x)) }
func (w *writer) uint64(x uint64) { w.Write(binary.LittleEndian.AppendUint64(nil, x)) }
func (w *writer) pad()            { w.Write(make([]byte, aligned(w.Len())-w.Len())) }

func (w *writer) string(s string) {
	w.uint64(uint64(len(s)))
	w.WriteString(s)
}

// dimensions of a tensor, the one that is next to each other in memory first.
func (w *writer) dimensions(t tensor) {
	if t.width == 0 {
		w.uint32(1)
		w.uint64(uint64(len(t.data)))
		return
	}
	w.uint32(2)
	w.uint64(uint64(t.width))
	w.uint64(uint64(len(t.data) / t.width))
}

func (w *writer) value(of any) {
	switch of := of.(type) {
	case uint32:
		w.uint32(typeUint32)
		w.uint32(of)
	case float32:
		w.uint32(typeFloat32)
		w.uint32(math.Float32bits(of))
	case bool:
		w.uint32(typeBool)
		if of {
			w.WriteByte(1)
		} else {
			w.WriteByte(0)
		}
	case string:
		w.uint32(typeString)
		w.string(of)
	case []string:
		w.array(typeString, len(of))
		for _, s := range of {
			w.string(s)
		}
	case []int32:
		w.array(typeInt32, len(of))
		for _, x := range of {
			w.uint32(uint32(x))
		}
	default:
		panic(fmt.Sprintf("tinymodel: no GGUF type for %T", of))
	}
}

func (w *writer) array(of uint32, n int) {
	w.uint32(typeArray)
	w.uint32(of)
	w.uint64(uint64(n))
}
